from eval_pipeline.domain.detectors import NoDetectors as InstalledDetectors
