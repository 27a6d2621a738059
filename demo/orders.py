#!/usr/bin/python3
"""Makes orders, one JSON object per line: always the same ones. Usage: orders.py COUNT"""
import json
import random
import sys

SCHEMA = "demo.order.v1"
POISON = ("invalid", "unavailable", "crash")
ARTICLES = (
    ("TEA-EARLGREY-100", 690), ("TEA-ASSAM-250", 1150), ("CUP-STONEWARE", 1400), ("POT-CAST-IRON", 5900),
    ("KETTLE-1500W", 4450), ("HONEY-LINDEN-500", 890), ("TIN-COPPER", 1250), ("STRAINER-FINE", 550),
)
CITIES = ("Porto", "Gdansk", "Utrecht", "Leipzig", "Tampere", "Graz", "Brno", "Aarhus", "Ghent", "Lyon")
FIRST = ("Ada", "Bruno", "Carla", "Dmitri", "Edith", "Farid", "Grete", "Hugo", "Ines", "Jonas", "Kaja", "Liam")
LAST = ("Almeida", "Bakker", "Costa", "Dvorak", "Eriksen", "Fontaine", "Gruber", "Hansen", "Kowalska", "Lindt")


def amount_of(items):
    return sum(item["quantity"] * item["price_cents"] for item in items)


def make(number):
    """Order `number`; its contents depend on nothing else."""
    dice = random.Random(number)
    customer = dice.randrange(1, 500)
    name = f"{FIRST[customer % len(FIRST)]} {LAST[customer % len(LAST)]}"
    items = [
        {"sku": sku, "quantity": dice.randrange(1, 4), "price_cents": price}
        for sku, price in dice.sample(ARTICLES, dice.randrange(1, 5))
    ]
    return {
        "schema": SCHEMA,
        "order": number,
        "customer": {"id": customer, "name": name, "email": name.lower().replace(" ", ".") + "@example.com"},
        "ship_to": {"street": f"Station Road {dice.randrange(1, 200)}", "city": CITIES[customer % len(CITIES)]},
        "items": items,
        "currency": "EUR",
        "amount_cents": amount_of(items),
    }


def make_poison(kind, number):
    """An order that can never succeed, and says so by `poison`."""
    order = make(number)
    order["poison"] = kind
    if kind == "invalid":
        order["amount_cents"] = -order["amount_cents"]
    return order


if __name__ == "__main__":
    for n in range(1, int(sys.argv[1]) + 1):
        print(json.dumps(make(n)))
