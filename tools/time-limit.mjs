// Loaded before each test file: one that is not over by then says what keeps it, and ends. Without a limit of its own a process that
// something keeps open, or a hook that waits for ever, would hang the whole run.
import process from 'node:process'

const longest = 600_000

// The runner of the files has no limit, and neither have the processes that a test starts: they end with it.
if (process.env.NODE_TEST_CONTEXT && process.argv[1]?.endsWith('.test.ts'))
  setTimeout(() => {
    const kept = process.getActiveResourcesInfo().join(', ')
    process.stderr.write(`${process.argv[1]} is not over after ${longest / 60_000} minutes; open are: ${kept}\n`)
    process.exit(1)
  }, longest).unref()
