"""What a person sees of a run on a forge: pull request, comment, job summary, check run, annotations."""
