type Fraction = readonly [top: bigint, bottom: bigint];

export function fractionOf(text: string): Fraction | undefined;
export function roundHalfAway(fraction: Fraction): bigint;
export function floor(fraction: Fraction): bigint;
export function decimalText(fraction: Fraction): string;
