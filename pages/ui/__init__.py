"""Parts that all pages share: frame, settings, controls, colours, live figures."""
