"""How the models are made: rendered tables, photographs, nets, training, export."""
