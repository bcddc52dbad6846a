"""What reaches us from a forge, who may order what, and in which words."""
