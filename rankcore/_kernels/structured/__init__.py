"""Most violated orders of structured learners, and the dual they solve."""
