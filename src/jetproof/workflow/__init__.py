"""Lint of the lane's GitHub Actions workflow, and the lane's scaffold."""
