// A Playwright reporter that writes results/e2e.json in the format of results/unit.json after every test.
import { stripVTControlCharacters } from 'node:util'
import { fileName, mergeResults, runTime } from './results.mjs'

/** The spec file of a test; the test may be defined in a helper that the file imports. */
function specOf(test) {
  let suite = test.parent
  while (suite.type !== 'file' && suite.parent) suite = suite.parent
  return suite.location?.file ?? test.location.file
}

function titleOf(test, manyProjects) {
  const [, project, , ...titles] = test.titlePath()
  return (manyProjects ? [project, ...titles] : titles).join(' › ')
}

function skipReason(test) {
  const annotations = [...test.annotations, ...test.results.flatMap((result) => result.annotations ?? [])]
  const skipped = annotations.find(({ type, description }) => ['skip', 'fixme'].includes(type) && description)
  return (
    skipped?.description ??
    (test.expectedStatus === 'skipped' ? 'no reason given' : 'an earlier test of its series failed')
  )
}

export default class ResultsReporter {
  runErrors = []

  printsToStdio() {
    return false
  }

  onBegin(config, suite) {
    this.config = config
    this.suite = suite
  }

  onTestEnd() {
    this.write(undefined)
  }

  onError(error) {
    this.runErrors.push(stripVTControlCharacters(error.message ?? error.value ?? 'unknown error'))
  }

  onEnd({ status }) {
    this.write(status)
  }

  /** `ending` is the status of the whole run, undefined while it is running. */
  write(ending) {
    const tests = this.suite?.allTests() ?? []
    const results = tests.flatMap((test) => this.resultOf(test, ending))
    const configFile = this.config?.configFile ? fileName(this.config.configFile) : 'packages/e2e/playwright.config.ts'
    if (ending) {
      for (const reason of this.runErrors) {
        results.push({
          title: 'the browser tests run',
          file: configFile,
          status: 'failed',
          seconds: 0,
          reason: reason.slice(0, 2000),
          at: runTime(),
        })
      }
    }
    // Keep the results of tests that a narrower command left out of a file.
    const partial = process.argv.some((word) => /^(-g|--grep|--last-failed|--only-changed)|:\d+$/.test(word))
    const keyOf = ({ file, title }) => (partial ? `${file} ${title}` : file)
    const keys = new Set(results.map(keyOf))
    mergeResults('e2e', results, (kept) => kept.file === configFile || keys.has(keyOf(kept)))
  }

  resultOf(test, ending) {
    const base = {
      title: titleOf(test, (this.config?.projects.length ?? 1) > 1),
      file: fileName(specOf(test)),
      at: runTime(),
    }
    const last = test.results.at(-1)
    if (!last) {
      const lost = ending !== undefined && ending !== 'interrupted'
      return lost ? [{ ...base, status: 'failed', seconds: 0, reason: 'did not run: the whole run ended before' }] : []
    }
    const seconds = Math.round(test.results.reduce((sum, result) => sum + result.duration, 0)) / 1000
    const outcome = test.outcome()
    if (outcome === 'skipped') return [{ ...base, status: 'skipped', seconds, reason: skipReason(test) }]
    if (outcome === 'expected') return [{ ...base, status: 'passed', seconds }]
    if (outcome === 'flaky')
      return [{ ...base, status: 'passed', seconds, reason: `passed at attempt ${test.results.length}` }]
    if (last.status === 'interrupted') return []
    return [
      {
        ...base,
        status: 'failed',
        seconds,
        reason: stripVTControlCharacters(last.error?.message ?? `ended as ${last.status}`).slice(0, 2000),
      },
    ]
  }
}
