"""What the server does beside showing pages: visitors, their origin, health, logs."""
