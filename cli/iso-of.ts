export const isoOf = (instant: number): string => new Date(instant).toISOString();
