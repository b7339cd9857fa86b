/** Removes what a chip stands for. */
export function Off({ label, onClick }: { readonly label: string; readonly onClick: () => void }) {
  return (
    <button type="button" class="off" aria-label={label} title={label} onClick={onClick}>
      ✕
    </button>
  );
}
