"""Who proposes: language models, the offline repairer, scripts and recordings."""
