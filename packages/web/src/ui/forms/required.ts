/** Required fields by name: with their own text, or `true` for the usual one. */
export type Required<Values> = { [Name in keyof Values]?: string | true }

/**
 * The error of an empty required field: its own text, otherwise its name and ' is required!' (core specification,
 * section 5).
 */
export function requiredText(field: string, own: string | true = true): string {
  return own === true ? `${field.charAt(0).toUpperCase()}${field.slice(1)} is required!` : own
}

/** Whether a field has a value; blanks are not a value, 0 and false are. */
export function isFilled(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== ''
  if (Array.isArray(value)) return value.length > 0
  return value !== undefined && value !== null
}

/** The errors of empty required fields, by field. */
export function requiredFaults<Values extends object>(
  values: Values,
  required: Required<Values>,
): Partial<Record<keyof Values, string>> {
  const names = Object.keys(required) as (keyof Values & string)[]
  return Object.fromEntries(
    names.filter((name) => !isFilled(values[name])).map((name) => [name, requiredText(name, required[name])]),
  ) as Partial<Record<keyof Values, string>>
}
