let errors: string[] = []
let expected: string[] = []

/** Collects what the page writes to the console as an error, React's warnings and uncaught errors included. */
export function watchConsole(): void {
  const write = console.error
  console.error = (...args: unknown[]) => {
    errors.push(args.map(textOf).join(' '))
    write(...args)
  }
}

const textOf = (value: unknown) => (value instanceof Error ? value.message : String(value))

/** Names a part of a console error that this test expects; any other one fails it. */
export function expectConsoleError(part: string): void {
  expected.push(part)
}

/** The errors since the last call that no test expected. */
export function unexpectedErrors(): string[] {
  const found = errors.filter((error) => !expected.some((part) => error.includes(part)))
  errors = []
  expected = []
  return found
}
