"""The English phrases by which a refusal is told, as regular expressions that take linear time.

Apostrophes are straight and white space is one blank in what they are matched against. Not here: how the
phrases together make a refusal, in `refusals.py`.
"""

from __future__ import annotations

import re

_LEAD = (
    r"(?:^|[,;:(\u2013\u2014-]\s*|\b(?:but|and|so|that|because|therefore|unfortunately|sadly|afraid|sorry"
    r"|however|regrettably|regret|apologi[sz]e|hmm|nope|no|yes)\b,?\s+|\bas an? [\w' -]{1,60}\s)"
)
"""Where a sentence, or a part of one that stands by itself, begins."""
_ADVERB = r"(?:(?:\w+ly|just|still|also|and|will|not|therefore|currently|in good conscience|at this time|ever|even|can)\s)"
"""A word between a subject and its verb."""
_UNABLE = (
    r"(?:(?:can't|cannot|can not) (?:and|or) (?:will not|won't)|(?:will not|won't) (?:and|or) (?:can't|cannot)"
    r"|can't|cannot|can not|won't|will not|shan't|shouldn't|should not|must not|refuse to|decline to|(?:am|'m|are|'re)"
    rf"(?: {_ADVERB}{{0,2}})?\s?(?:unable to|not (?:\w+ly )?(?:able|going|allowed|permitted|authori[sz]ed|willing"
    r"|prepared|at liberty|in a position|designed|programmed|equipped|meant) to|prohibited from|forbidden to)"
    r"|(?:won't|will not) be able to|will be unable to|(?:do not|don't) (?:want to|have (?:the |any )?"
    r"(?:ability|capability|permission|authori[sz]ation|authority|means) to)|have been instructed not to)"
)
"""Not being able, willing or allowed."""
_DO = (
    r"(?:help(?:ing)?\b(?! but\b| it\b| myself\b| \w+ing\b)|assist|comply|fulfil|provid|giv(?:e|ing)\b"
    r"(?! up\b| in\b|(?: you)? an? (?:exact|precise|definit))|shar(?:e|ing)\b(?! your)|creat|writ(?:e|ing)\b|generat|answer|discuss"
    r"|support|produc|complet|engag|offer|tell\b(?! the difference| from\b| if\b| whether\b| you how (?:\w+ ){0,2}"
    r"(?:happy|glad|sorry|grateful|much|excited|proud|pleased))|disclos|reveal|participat|tak(?:e|ing) part|continu|respond"
    r"|accommodat|do(?:ing)? (?:that|this|so|it|what|any|such)\b(?! anymore)|facilitat|carry out|perform|process\b"
    r"|advi[sc]e|comment|recommend\b(?!(?: \w+){0,5} highly)|explain|teach|guide you|promot|condon|encourag|endors"
    r"|draft|compos|display|send\b|describ|identif|grant|approv|let you|allow you|go (?:into|along)|make (?:that|this|such)\b"
    r"|look up|plac(?:e|ing) orders?|translat|summari[sz]|design\b|pretend|role-?play|publish|repeat (?:that|this|my)"
    r"|supply|speculat|list\b|talk about|speak (?:about|on|to)|be part of|contribut)"
)
"""What an answer may decline to do; idioms of the same words left out."""
_LIMITED = (
    r"(?:brows|access|see\b|view|open\b|predict|search|hear\b|watch|remember|verify|check|physically|experience|feel\b"
    r"|form (?:\w+ )?opinions)"
)
"""What a model has no senses or access for."""
DECLINES = re.compile(
    "|".join((
        rf"{_LEAD}(?:i|we)\s?{_ADVERB}{{0,3}}{_UNABLE}\s{_ADVERB}{{0,2}}{_DO}",
        rf"{_LEAD}(?:i|we)\s(?:can't|cannot|can not|won't|will not|refuse)(?:[,]? (?:sorry|i'm afraid))?\W*$",
        (rf"{_LEAD}(?:i|we)(?:'m| am|'re| are)? ?{_ADVERB}{{0,2}}(?:must|have to|need to|will have to|will need to|going to have to)"
        rf" {_ADVERB}{{0,2}}(?:decline|refuse)\b"),
        rf"{_LEAD}(?:i|we) {_ADVERB}{{0,2}}(?:decline|refuse)(?: this| that| your| the| to (?:answer|do|help|discuss))\b",
        rf"{_LEAD}(?:i|we)(?:'d| would) (?:rather|prefer) not\b|{_LEAD}(?:i|we) prefer not to\b",
        rf"{_LEAD}(?:i|we)(?:'m| am|'re| are)? ?(?:not comfortable|uncomfortable|(?:don't|do not) feel comfortable)\b",
        (rf"{_LEAD}(?:i|we) (?:don't|do not|never) (?:provide|offer|discuss|engage in|answer|create|generate|share|comment on|give"
        r" (?:\w+ )?advice)\b"),
        rf"{_LEAD}i (?:don't think i (?:should|can|could)|shouldn't|should not) {_DO}",
        (rf"{_LEAD}(?:i|we)(?: can|'m| am|'re| are) only (?:able to |here to |allowed to |meant to )?"
        r"(?:help|assist|answer|discuss|talk|respond|provide|support)\b"),
        r"\b(?:isn't|is not|'s not|not) (?:something|anything|one|a (?:topic|request|subject)) (?:that )?(?:i|we)(?:'m| am|'re| are| can)\b",
        r"\bsomething (?:that )?(?:i|we)(?: can't| cannot| won't| will not|'m not| am not|'m unable| am unable)\b",
        r"\b(?:against|violat\w+|contrary to) (?:my|our|openai's|the) (?:\w+ ){0,3}(?:guideline|polic|programming|principle|terms|rules)",
        (r"\b(?:my|our) (?:\w+ ){0,2}(?:guidelines|polic(?:y|ies)|programming|instructions|rules) (?:(?:do not|don't|does not|doesn't)"
        r" (?:allow|permit|let)|prevents?|prohibits?|forbids?) (?:me|us)\b"),
        (r"\b(?:outside|beyond|not within|not in) (?:of )?(?:my|the) (?:scope|capabilit\w+|abilit\w+|remit|expertise|programming)\b"
        r"(?! of th(?:is|e) (?:article|guide|book|text|answer))"),
        r"(?:\bnot|n't) (?:be )?(?:appropriate|ethical|right|responsible) (?:for me )to\b",
        r"\b(?:inappropriate|unethical|irresponsible|wrong) for me to\b",
        (r"^(?:unfortunately,? |sorry,? (?:but )?)?(?:your|this|the) (?:\w+ )?(?:request|question|content|image|prompt) "
        r"(?:cannot|can't|can not|will not|won't) be (?:\w+ )?(?:fulfilled|completed|processed|provided|answered|generated|created|shared)\b"),
        rf"^(?:(?:sorry|apologies|unfortunately|but|no|nope|hmm)\W{{1,3}}){{0,3}}(?:can't|cannot|won't|unable to|not able to) {_DO}[^?]*$",
        r"^(?:sorry\W{1,5})?(?:no can do|request (?:denied|declined|refused|rejected))\b",
    )),
    re.IGNORECASE,
)  # fmt: skip
"""The answer declines to do what was asked."""
IS_LIMITED = re.compile(
    rf"{_LEAD}(?:i|we)\s?{_ADVERB}{{0,3}}{_UNABLE}\s{_ADVERB}{{0,2}}{_LIMITED}"
    rf"|{_LEAD}(?:i|we) (?:lack the|(?:don't|do not) have (?:the |any |real-time |direct |personal )*(?:access|ability|capability|feelings"
    r"|emotions|opinions|beliefs|preferences|experiences|physical|body))"
    rf"|{_LEAD}(?:i|we)(?:'m| am) not capable of\b"
    r"|\b(?:as|i'm|i am) (?:just |only )?an? (?:\w+ )?(?:ai|artificial intelligence|language model|chatbot|bot|virtual assistant)\b"
    r"[^.]{0,60}?\b(?:can't|cannot|unable to|not able to)\b",
    re.IGNORECASE,
)
"""The answer states a limit of what it can do, which may or may not keep it from answering."""
IDIOM = re.compile(r"^\w*(?:\W\w+){0,8}?\W(?:enough|anymore)\b", re.IGNORECASE)
"""Behind words that decline: they only say how good or bad something is."""
CONDITION = re.compile(
    r"\bwithout (?:knowing|seeing|more|further|additional|it\b|an? \w+|the \w+|your \w+|some \w+)(?! (?:permission|consent))"
    r"|\buntil (?:you|i|we)\b|\bunless you (?:tell|give|share|provide|send|let)\b",
    re.IGNORECASE,
)
"""Behind words that decline: they ask for details."""
CONSENT = re.compile(r"\b(?:permission|consent|authori[sz]ation|knowledge)\b", re.IGNORECASE)
"""What is lacking is not a detail but somebody's consent."""
REPORTED = re.compile(
    r"\b(?:say|says|(?<!that )said|saying|write|writes|wrote|reply|replies|replied|responds?|responded|tells?|told|states?|stated"
    r"|phrases?|include|for example|e\.g\.|such as|would put it|refusals?|declining|sentence|quote)\b",
    re.IGNORECASE,
)
"""Before words that decline: somebody else says them."""
ATTRIBUTED = re.compile(r"\b(?:said|says|replied|answered|whispered|shouted)\b", re.IGNORECASE)
"""Behind words that decline: somebody else said them."""
POLITE = re.compile(
    r"^(?:hi|hello|hey|dear|thanks?|thank you|(?:i'm|i am|we're|we are) (?:\w+ ){0,2}(?:sorry|glad|afraid)|sorry|i apologi[sz]e|(?:my )?apologies"
    r"|(?:i|we) (?:\w+ )?(?:understand|appreciate|see|know|hear|realize|realise)|that's an?|great|good|unfortunately|let me be"
    r"|as an ai|my (?:purpose|role|goal|job)|i'm (?:an?|just|here|designed|programmed|trained)|i am (?:an?|just|here|designed|programmed|trained)"
    r"|hmm|oh|well|no|nope|i want to be)\b",
    re.IGNORECASE,
)
"""A sentence that opens with politeness, or with what the answer comes from."""
ADVICE = re.compile(
    r"^(?:(?:but|however|instead|though|that said|if (?:you|this)[^,]{0,80}|alternatively)\W{1,2}){0,3}(?:(?:i|we)(?:'d| would| can| could|'m| am|'ll| will| may| might|"
    r" recommend| suggest| encourage| hope| understand| want)\b(?! (?:tell|say|explain|confirm|share))|feel free|please|thank|you (?:can|could|may|might|should|'ll)"
    r"|if (?:you|there)|is there|would you|could you|can you|do you|let me know|let's|how (?:can|may|else)|what (?:else|would)|perhaps|maybe|try|instead"
    r"|it(?:'s| is) (?:\w+ )?(?:important|best|always|illegal|crucial|essential|better|against|not)|there are (?:many|plenty|other|resources|people)"
    r"|for (?:more|further|help|assistance)|everyone|remember)\b",
    re.IGNORECASE,
)
"""A part that opens with advice, a question, or the offer of something else."""
REASON = re.compile(
    r"\b(?:illegal\w*|unlawful\w*|harm\w*|unethical|ethical\w*|danger\w*|violat\w*|policy|policies|guidelines|wrong|inappropriate"
    r"|offensive|rights|privacy|copyright\w*|permission|consent|hateful|safety|respect\w*|abus\w*|crim\w+)\b",
    re.IGNORECASE,
)
"""A part that gives a reason for declining."""
GIVES = re.compile(
    r"\bhere(?:'s| is| are| goes)\b(?! (?:to|why|some (?:\w+ )?(?:resources|alternatives)|a few (?:resources|alternatives)))"
    r"|\bbased on\b|\bgenerally\b|^(?:in general|that said|nevertheless|nonetheless|step 1|first(?:ly)?,|1[.)]|yes\b|\[(?:code|quoted)\])"
    r"|\b(?:these|the following|a few) (?:steps|tips|points)\b|\bsubject:|\[your name\]|\bas of my\b",
    re.IGNORECASE,
)
"""A part that gives what was asked."""
TURN = re.compile(r"\W\s*(?:but|however|though|yet|so)\b,?\s*|;\s*|\s[\u2013\u2014]\s", re.IGNORECASE)
"""Where a sentence turns from declining to something else."""
