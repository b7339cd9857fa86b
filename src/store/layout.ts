/**
 * Of tables and blocks, raised with every change of them until the first release: stores of other development versions are refused.
 * From then on, stores have a version and are upgraded.
 */
export const LAYOUT = 5;
