"""The web client: pages made on the server, and the modules, styles and texts that give them life."""
