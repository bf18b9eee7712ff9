"""Prices: those that a deployment gives, else those of genai-prices, a list that others keep up with the providers.

The list comes with any of the model extras and is read from the package, never from a network. Its version says as of
when it is. What neither knows has no price.
"""

from collections.abc import Collection, Mapping
from datetime import datetime

from remembrancer.types.calls import Price, Usage, micros

_LISTED = ("openai", "anthropic", "google", "deepseek")


class PriceList:
    """See `ports.prices.Prices`. Blocking when it is first asked: the list takes half a second to load.

    Args:
        given: by model, as `provider:name`; they come before the list's.
        elsewhere: providers that are asked at an address which is not theirs, so that their prices say nothing.
    """

    def __init__(self, given: Mapping[str, Price], *, elsewhere: Collection[str] = ()) -> None:
        self._given = given
        self._elsewhere = elsewhere

    def cost(self, model: str, usage: Usage, *, at: datetime) -> int | None:
        """What a call costs in millionths of a US dollar, rounded up; `None` where no price is known."""
        if price := self._given.get(model):
            return price.cost(prompt=usage.prompt, cached=usage.cached, answer=usage.answer)
        provider, _, name = model.partition(":")
        if provider not in _LISTED or provider in self._elsewhere:
            return None
        return _listed(provider, name, usage, at)


def _listed(provider: str, name: str, usage: Usage, at: datetime) -> int | None:
    try:
        from genai_prices import Usage as Used
        from genai_prices import calc_price
    except ModuleNotFoundError:
        return None
    used = Used(
        input_tokens=usage.prompt,
        cache_read_tokens=usage.cached,
        cache_write_tokens=usage.written,
        output_tokens=usage.answer,
    )
    try:
        found = calc_price(used, name, provider_id=provider, genai_request_timestamp=at)
    except (LookupError, ValueError):
        # A model that is not listed, or counts that cannot be, such as more cached tokens than there are.
        return None
    # Some are listed without a price, which would read as free.
    known = found.model_price.input_mtok is not None and found.model_price.output_mtok is not None
    return micros(found.total_price) if known else None
