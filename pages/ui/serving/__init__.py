"""Services of the server beside pages: visitors, their origin, health, logs."""
