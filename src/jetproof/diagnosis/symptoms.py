"""Symptoms that many causes share, in the words that people use for them."""

from __future__ import annotations

from jetproof.diagnosis.evidence import Hit, hit
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts

_ON_CPU = Expression(
    r"(?i)\b(?:runs?|running|ran|falls?(?: ?back)?|falling back|fell back|works?|stuck|stays?|trains?|inference"
    r"|serv(?:es?|ing)|generat\w{1,4}|default(?:s|ing)?|switch(?:es|ing)|uses?|using|used)\b[^.\n]{0,40}\b(?:on|to|uses?"
    r"|using|with|the)\b (?:only )?(?:the |my )?'?CPU\b"
    r"|\b(?:on|uses?|using) (?:the |only |just |only the )?CPU\b|\bCPU[- ]only\b|\bonly (?:on |uses? "
    r"|using )?(?:the )?CPU\b|\b100% CPU\b|\bCPU \((?:ARMv8|aarch64)|\blibrary=cpu\b"
    r"|\bGPU\b[^.\n]{0,40}\b(?:idle|unused|inactiv\w{1,3}|never used|not (?:being )?(?:used|utili[sz]ed)|0 ?%)"
    r"|\bno (?:activity on the )?GPU(?: activity| usage| utili[sz]ation| used)?\b|\bGPU (?:Inactivity"
    r"|utili[sz]ation|usage|load)\b[^.\n]{0,20}\b(?:0|none|no)\b"
    r"|(?:\b(?:not|never|cannot|unable to|without|no)|n't|n’t)\b[^.\n]{0,30}\b(?:us(?:e|es|ing)|utili[sz]\w{1,3}"
    r"|detect\w{0,3}|see(?:s|ing)?|find\w{0,3}|recogni[sz]\w{1,3}|offload\w{0,3}(?: \w{1,8})? to"
    r"|run\w{0,4} (?:on|with|it on))\b[^.\n]{0,12}\b(?:GPU|CUDA)\b"
    r"|\b(?:CUDA|GPU) (?:is |was |device is )?(?:not|un|no)[- ]?(?:available|avaliable|found|detected"
    r"|recogni[sz]ed|supported|enabled|compiled)|\b(?:CUDA|GPU)\b[^.\n]{0,12}\bunavailable\b"
    r"|\bonly (?:the |has |has the |shows )?\W?CPUExecutionProvider"
    r"|\b(?:GPU|CUDA),? (?:but|and|while) (?:py)?torch (?:does(?:n't| not)|can(?:'t|not))\b"
    r"|offloaded 0/\d{1,4} layers|\boffloads? (?:nothing|no layers?|0 layers)"
)


def on_cpu(facts: Facts) -> Hit | None:
    """Return where the report says that the CPU does the work, or that no GPU is seen."""
    return hit(facts, _ON_CPU)
