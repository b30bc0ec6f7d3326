"""Colours as readers with and without all cones see them."""

import numpy as np

# Linear RGB as those see it who have no such cones: Machado, Oliveira and Fernandes, A
# Physiologically-based Model for Simulation of Color Vision Deficiency, IEEE TVCG 2009.
SIGHTS = {
    "all cones": np.eye(3),
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
}
XYZ = np.array(
    [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
)


def distance(one, other, sight):
    """Of two colours as they are seen, in CIELAB."""
    return np.linalg.norm(lab(one, sight) - lab(other, sight))


def difference(one, other, sight):
    """Of two colours as they are seen, by CIEDE2000."""
    return ciede2000(lab(one, sight), lab(other, sight))


def ciede2000(one, other):
    """The difference of two colours in CIELAB: Sharma, Wu and Dalal, The CIEDE2000
    Color-Difference Formula, Color Research and Application 2005."""
    light, a, b = np.transpose([one, other])
    chroma = np.hypot(a, b).mean()
    a = a * (1.5 - 0.5 * np.sqrt(chroma**7 / (chroma**7 + 25.0**7)))
    chromas, hues = np.hypot(a, b), np.degrees(np.arctan2(b, a)) % 360.0
    turn = (hues[1] - hues[0] + 180.0) % 360.0 - 180.0
    chroma, hue = chromas.mean(), hues[0] + turn / 2.0
    cosines = np.cos(np.radians([hue - 30, 2 * hue, 3 * hue + 6, 4 * hue - 63]))
    weight = 1.0 + np.dot([-0.17, 0.24, 0.32, -0.20], cosines)
    middle = (light.mean() - 50.0) ** 2
    parts = np.array(
        [
            (light[1] - light[0]) / (1.0 + 0.015 * middle / np.sqrt(20.0 + middle)),
            (chromas[1] - chromas[0]) / (1.0 + 0.045 * chroma),
            2.0
            * np.sqrt(chromas[0] * chromas[1])
            * np.sin(np.radians(turn / 2.0))
            / (1.0 + 0.015 * chroma * weight),
        ]
    )
    bent = 60.0 * np.exp(-((((hue % 360.0) - 275.0) / 25.0) ** 2))
    twist = -2.0 * np.sqrt(chroma**7 / (chroma**7 + 25.0**7)) * np.sin(np.radians(bent))
    return np.sqrt(parts @ parts + twist * parts[1] * parts[2])


def lab(colour, sight):
    """Coordinates in CIELAB of a colour as it is seen."""
    channels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(
        channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4
    )
    seen = np.clip(np.asarray(SIGHTS[sight]) @ linear, 0.0, 1.0)
    ratio = XYZ @ seen / XYZ.sum(axis=1)
    x, y, z = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])
