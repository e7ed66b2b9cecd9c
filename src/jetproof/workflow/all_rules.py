"""Every rule of the lane, in the order of their ids. A rule that is not listed here does not exist."""

from __future__ import annotations

from jetproof.workflow.rule import Rule
from jetproof.workflow.rules import (
    always_green,
    another_commit_checked_out,
    another_gate_run,
    challenge_on_device,
    continue_on_error,
    credentials_persist,
    dispatch_from_any_ref,
    errors_ignored,
    evidence_kept_too_short,
    evidence_lost_on_failure,
    evidence_name,
    evidence_not_kept,
    evidence_not_signed,
    evidence_overwritten,
    failure_masked,
    gate_job_skippable,
    gate_not_run,
    gate_step_skippable,
    gate_without_job,
    image_by_tag,
    labels_differ,
    missing_evidence_accepted,
    model_cache_kept,
    model_download_mixed,
    model_download_unasked,
    model_download_unregulated,
    no_approval,
    no_challenge,
    no_concurrency,
    no_dispatch,
    no_host_tests,
    no_isolated_signer,
    no_pages,
    no_repository_guard,
    no_schedule,
    no_time_limit,
    no_verdict_job,
    not_installed_before_gate,
    page_without_gate,
    page_without_jetpack,
    page_without_labels,
    page_without_memory,
    page_without_module,
    page_without_source,
    permissions_excessive,
    permissions_not_said,
    policy_invalid,
    privileged_container,
    pull_request_not_cpu_only,
    pull_request_not_offline,
    rehearsal_in_lane,
    replaces_torch,
    retried_until_green,
    run_cancelled,
    runner_by_expression,
    schedule_malformed,
    schedule_too_rare,
    script_injection,
    secret_on_device,
    self_hosted_callable,
    self_hosted_on_any_push,
    self_hosted_on_public_event,
    self_hosted_on_pull_request,
    self_hosted_on_pull_request_target,
    self_hosted_on_workflow_run,
    signer_on_device,
    signer_runs_project,
    status_lost_in_pipe,
    steered_environment,
    tier_not_pinned,
    time_limit_below_cost,
    trust_store_invalid,
    unclean_checkout,
    unpinned_action,
    unpinned_tier_claimed,
    untrusted_checkout,
    verdict_forgets_gate,
    verdict_job_skippable,
    waiver_ends_soon,
    waiver_expired,
    waiver_malformed,
    workflow_unreadable,
)

RULES: tuple[Rule, ...] = (
    workflow_unreadable.RULE,  # JW001
    self_hosted_on_pull_request.RULE,  # JW101
    self_hosted_on_pull_request_target.RULE,  # JW102
    self_hosted_on_workflow_run.RULE,  # JW103
    self_hosted_on_public_event.RULE,  # JW104
    self_hosted_on_any_push.RULE,  # JW105
    self_hosted_callable.RULE,  # JW106
    untrusted_checkout.RULE,  # JW107
    dispatch_from_any_ref.RULE,  # JW108
    script_injection.RULE,  # JW109
    pull_request_not_cpu_only.RULE,  # JW110
    pull_request_not_offline.RULE,  # JW111
    no_approval.RULE,  # JW201
    no_repository_guard.RULE,  # JW202
    no_time_limit.RULE,  # JW203
    time_limit_below_cost.RULE,  # JW204
    labels_differ.RULE,  # JW205
    runner_by_expression.RULE,  # JW206
    privileged_container.RULE,  # JW207
    unclean_checkout.RULE,  # JW208
    replaces_torch.RULE,  # JW209
    image_by_tag.RULE,  # JW210
    not_installed_before_gate.RULE,  # JW211
    steered_environment.RULE,  # JW212
    failure_masked.RULE,  # JW301
    always_green.RULE,  # JW302
    errors_ignored.RULE,  # JW303
    continue_on_error.RULE,  # JW304
    status_lost_in_pipe.RULE,  # JW305
    retried_until_green.RULE,  # JW306
    gate_job_skippable.RULE,  # JW307
    no_verdict_job.RULE,  # JW308
    verdict_job_skippable.RULE,  # JW309
    verdict_forgets_gate.RULE,  # JW310
    gate_not_run.RULE,  # JW311
    another_gate_run.RULE,  # JW312
    gate_step_skippable.RULE,  # JW313
    rehearsal_in_lane.RULE,  # JW314
    evidence_not_kept.RULE,  # JW401
    evidence_lost_on_failure.RULE,  # JW402
    evidence_name.RULE,  # JW403
    evidence_kept_too_short.RULE,  # JW404
    another_commit_checked_out.RULE,  # JW405
    no_challenge.RULE,  # JW406
    challenge_on_device.RULE,  # JW407
    no_isolated_signer.RULE,  # JW408
    signer_on_device.RULE,  # JW409
    signer_runs_project.RULE,  # JW410
    evidence_not_signed.RULE,  # JW411
    missing_evidence_accepted.RULE,  # JW412
    evidence_overwritten.RULE,  # JW413
    no_schedule.RULE,  # JW501
    schedule_too_rare.RULE,  # JW502
    schedule_malformed.RULE,  # JW503
    no_dispatch.RULE,  # JW504
    run_cancelled.RULE,  # JW505
    no_concurrency.RULE,  # JW506
    unpinned_action.RULE,  # JW601
    permissions_not_said.RULE,  # JW602
    permissions_excessive.RULE,  # JW603
    secret_on_device.RULE,  # JW604
    credentials_persist.RULE,  # JW605
    policy_invalid.RULE,  # JW701
    waiver_malformed.RULE,  # JW702
    waiver_expired.RULE,  # JW703
    waiver_ends_soon.RULE,  # JW704
    tier_not_pinned.RULE,  # JW705
    unpinned_tier_claimed.RULE,  # JW706
    gate_without_job.RULE,  # JW707
    no_pages.RULE,  # JW708
    page_without_gate.RULE,  # JW709
    page_without_module.RULE,  # JW710
    page_without_jetpack.RULE,  # JW711
    page_without_source.RULE,  # JW712
    page_without_memory.RULE,  # JW713
    page_without_labels.RULE,  # JW714
    model_download_unregulated.RULE,  # JW715
    model_download_mixed.RULE,  # JW716
    model_download_unasked.RULE,  # JW717
    model_cache_kept.RULE,  # JW718
    no_host_tests.RULE,  # JW719
    trust_store_invalid.RULE,  # JW720
)
