"""Base images for Jetson, Dockerfiles, and the engines that build and run them."""
