"""Questions about the table of Twilight Struggle: the map, Operations, wars, hands, scoring, the cards."""
