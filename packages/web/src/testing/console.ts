let errors: string[] = []
let expected: string[] = []

/** Collects console errors of the page, including React warnings and uncaught errors. */
export function watchConsole(): void {
  const write = console.error
  console.error = (...args: unknown[]) => {
    errors.push(args.map(textOf).join(' '))
    write(...args)
  }
}

const textOf = (value: unknown) => (value instanceof Error ? value.message : String(value))

/** Expects a console error that contains a text; any other fails the test. */
export function expectConsoleError(part: string): void {
  expected.push(part)
}

/** The unexpected errors since the last call. */
export function unexpectedErrors(): string[] {
  const found = errors.filter((error) => !expected.some((part) => error.includes(part)))
  errors = []
  expected = []
  return found
}
