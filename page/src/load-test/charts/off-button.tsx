interface OffProps {
  readonly label: string;
  readonly onClick: () => void;
}

/** Takes off what a chip says. */
export function Off({ label, onClick }: OffProps) {
  return (
    <button type="button" class="off" aria-label={label} title={label} onClick={onClick}>
      ✕
    </button>
  );
}
