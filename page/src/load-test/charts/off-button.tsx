interface OffProps {
  readonly label: string;
  readonly onClick: () => void;
}

/** Removes what a chip stands for. */
export function Off({ label, onClick }: OffProps) {
  return (
    <button type="button" class="off" aria-label={label} title={label} onClick={onClick}>
      ✕
    </button>
  );
}
