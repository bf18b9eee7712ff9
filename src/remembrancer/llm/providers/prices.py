"""Prices of the deployment, else those of the maintained list genai-prices.

The list comes with each of the model extras and is read from the package, never from a network. Its version is a date.
A model in neither has no price.
"""

from collections.abc import Collection, Mapping
from datetime import datetime

from remembrancer.types.calls import Price, Usage, micros

_LISTED = ("openai", "anthropic", "google", "deepseek")


class PriceList:
    """The price list of a deployment. The first call blocks for half a second.

    Args:
        own: by model, as `provider:name`; they precede those of the list.
        elsewhere: providers with an address of their own, so that the list does not apply.
    """

    def __init__(self, own: Mapping[str, Price], *, elsewhere: Collection[str] = ()) -> None:
        self._own = own
        self._elsewhere = elsewhere

    def cost(self, model: str, usage: Usage, *, at: datetime) -> int | None:
        """Return the cost of a call in millionths of a US dollar, rounded up; `None` without a price.

        Args:
            model: as `provider:name`.
            at: the time of the call: prices change, some by the hour.
        """
        if price := self._own.get(model):
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
