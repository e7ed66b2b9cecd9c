"""The first lane of a project: policy, workflows, script, pages and issue form, written once and kept up to date."""
