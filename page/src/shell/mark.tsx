/** The logo: a dial with a hand. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" fill="none" aria-hidden="true">
      <circle cx="16" cy="16" r="14.4" />
      <path d="M16 7.6 A8.4 8.4 0 0 1 22 10.1 L24.1 7.9 L23.4 12 A8.4 8.4 0 1 1 11.2 9.1" />
      <path class="hand" d="M16 12.2 L17.5 14.3 A2.3 2.3 0 1 1 14.5 14.3 Z" />
    </svg>
  );
}
