"""The examples of "Models and money"."""

from remembrancer import SyncMemory
from remembrancer.testing import ScriptedModel

model = ScriptedModel(["Order TW-118 goes to Oban."], name="openai:gpt-5-nano")
memory = SyncMemory("agent.db", user="ana", model=model, budget_day_money=2.0, prices={
    "openai:gpt-5-nano": {"prompt": 0.05, "cached": 0.005, "answer": 0.4},
})  # fmt: skip
memory.sessions.reply("order", "Where does TW-118 go?")

costs = memory.admin.costs(days=7)
for total in costs.totals:
    print(total)
for budget in costs.budgets:
    print(budget)

memory.close()
