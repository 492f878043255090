import { useState } from 'react'
import { ActionIcon, Button } from '@mantine/core'
import { IconChartLine, IconFlag, IconPencil } from '../../../icons/index.ts'
import type { EmergencyTest } from '@caretaker/contract/lighting.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { isDisputable } from '@caretaker/rules/lighting/decisions.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { ChartDialog } from './chart-dialog.tsx'
import type { DecidedTest } from './decision-dialogs.tsx'
import { DecideDialog, DisputeDialog } from './decision-dialogs.tsx'
import { UpdateDialog } from './update-dialog.tsx'

/** A test and the dialog to show. */
export interface ShownTest {
  test: EmergencyTest
  as: 'chart' | 'update' | 'dispute'
}

/** The actions on a test: show the chart, dispute a failed result, and for administrators correct it. */
export const actionsFor = (actor: Actor, show: (what: ShownTest) => void) =>
  function TestActions(test: EmergencyTest) {
    const of = `${test.testType} of ${test.deviceName}`
    const mayDispute = can(actor, 'dispute test results') && isDisputable(test.result) && !test.disputed
    return (
      <>
        <ActionIcon
          variant="subtle"
          aria-label={`Chart of ${of}`}
          title="Chart"
          onClick={() => show({ test, as: 'chart' })}
        >
          <IconChartLine size={16} aria-hidden />
        </ActionIcon>
        {mayDispute && (
          <ActionIcon
            variant="subtle"
            aria-label={`Dispute ${of}`}
            title="Dispute result"
            onClick={() => show({ test, as: 'dispute' })}
          >
            <IconFlag size={16} aria-hidden />
          </ActionIcon>
        )}
        {can(actor, 'correct test results') && (
          <ActionIcon
            variant="subtle"
            aria-label={`Update ${of}`}
            title="Update test result"
            onClick={() => show({ test, as: 'update' })}
          >
            <IconPencil size={16} aria-hidden />
          </ActionIcon>
        )}
      </>
    )
  }

/** The dialog of a test. */
export function TestDialog({ shown: { test, as }, onClose }: { shown: ShownTest; onClose: () => void }) {
  if (as === 'update') return <UpdateDialog test={test} onClose={onClose} />
  if (as === 'dispute') return <DisputeDialog test={test} onClose={onClose} />
  return <ChartDialog test={test} onClose={onClose} />
}

/** The decision of an administrator about a disputed result. */
export function DecisionButtons({ test, countsAs }: { test: DecidedTest; countsAs: string }) {
  const [decision, setDecision] = useState<'keep' | 'indeterminate'>()
  return (
    <>
      <Button variant="default" onClick={() => setDecision('indeterminate')}>
        Change to Indeterminate
      </Button>
      <Button variant="default" onClick={() => setDecision('keep')}>
        Keep as {countsAs}
      </Button>
      {decision && <DecideDialog {...{ test, countsAs, decision }} onClose={() => setDecision(undefined)} />}
    </>
  )
}
