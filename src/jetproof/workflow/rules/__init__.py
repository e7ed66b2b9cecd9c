"""One file a rule of the lane; `workflow.all_rules` lists them."""
