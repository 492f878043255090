import { Loader } from '@mantine/core'
import { IconTag } from '../icons/index.ts'
import type { RunAction } from '@caretaker/rules/actions/home-actions.ts'
import type { AnswerCounts } from '@caretaker/rules/commands/answers.ts'
import { answerWords, commandAnswers, noAnswers } from '@caretaker/rules/commands/answers.ts'
import { StatusIcon } from '../ui/status-icon.tsx'
import { AnswerIcon } from './answer-icon.tsx'
import { isCommandAction } from './bulk-plans.ts'
import type { BulkCounts } from './bulk-run.ts'
import classes from './actions.module.css'

interface ProgressProps {
  action: RunAction
  /** The tags that are added or removed. */
  names: readonly string[]
  counts: BulkCounts
  /** For a command: the answers of the devices so far. */
  answers?: AnswerCounts | undefined
}

/** The verb shown before the tag names. */
function progressWord(action: RunAction, isGoingOn: boolean): string {
  if (action.startsWith('remove')) return isGoingOn ? 'Removing' : 'Removed'
  if (action.startsWith('set')) return isGoingOn ? 'Setting' : 'Set'
  return isGoingOn ? 'Adding' : 'Added'
}

const figures = (count: number) => count.toLocaleString('en-GB')

/** The progress of a bulk action: one bar in status colours, and the counts in words. */
export function Progress({ action, names, counts, answers }: ProgressProps) {
  const { done, failed, loading } = counts
  const total = done + failed + loading
  // A sent command is not done until the device answers, so nothing is green yet.
  const answerCounts = isCommandAction(action) ? (answers ?? { ...noAnswers, queued: done }) : undefined
  const passed = answerCounts ? answerCounts.confirmed : done
  const unsuccessful = answerCounts ? failed + answerCounts.refused + answerCounts.unanswered : failed
  return (
    <div className={classes.progress}>
      {names.length > 0 && (
        <p className={classes.names}>
          {progressWord(action, loading > 0)}
          {names.map((name) => (
            <span key={name} className={classes.tag}>
              <IconTag size={14} aria-hidden />
              {name}
            </span>
          ))}
        </p>
      )}
      <div
        className={classes.bar}
        role="progressbar"
        aria-label="Progress"
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={done + failed}
        aria-valuetext={`${figures(done + failed)} of ${figures(total)}`}
      >
        <span data-tone="passed" style={{ width: `${(100 * passed) / total}%` }} />
        {unsuccessful > 0 && <span data-tone="failed" style={{ width: `${(100 * unsuccessful) / total}%` }} />}
      </div>
      <p className={classes.counts} role="status">
        {answerCounts ? (
          commandAnswers
            .filter((answer) => answerCounts[answer] > 0)
            .map((answer) => (
              <span key={answer}>
                <AnswerIcon answer={answer} />
                <span>
                  <b>{figures(answerCounts[answer])}</b> {answerWords[answer].many}
                </span>
              </span>
            ))
        ) : (
          <span>
            <StatusIcon tone="passed" />
            <span>
              <b>{figures(done)}</b> done
            </span>
          </span>
        )}
        {failed > 0 && (
          <span>
            <StatusIcon tone="failed" />
            <span>
              <b>{figures(failed)}</b> failed
            </span>
          </span>
        )}
        {loading > 0 && (
          <span className={classes.quiet}>
            <Loader size={14} aria-hidden />
            {figures(loading)} in progress
          </span>
        )}
        <span className={classes.total}>
          {figures(done + failed)} of {figures(total)}
        </span>
      </p>
    </div>
  )
}
