import { useState } from 'react'
import { Button, Textarea } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { EmergencyTest } from '@caretaker/contract/lighting.ts'
import { updateTestResult } from '@caretaker/contract/calls/lighting.ts'
import { contradiction, ownWords, partContradiction, reasonMissing } from '@caretaker/rules/lighting/decisions.ts'
import type { ComponentState, Correction, OtherState } from '@caretaker/rules/lighting/tests.ts'
import {
  changedReason,
  componentStates,
  components,
  correctedResult,
  minutesOf,
  otherStates,
  shortfall,
} from '@caretaker/rules/lighting/tests.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { textsOf } from '../../../api/errors.ts'
import { refreshTenant } from '../../../actions/refresh.ts'
import { CancelButton, Dialog, DraftNote, Problems } from '../../../ui/dialog.tsx'
import { useDraft } from '../../../ui/draft.ts'
import { showSuccess } from '../../../ui/toasts.tsx'
import { TimeOf } from '../../../ui/zone.tsx'
import { testQuery } from '../queries.ts'
import { Result, resultWord } from '../test-result.tsx'
import { Evidence } from './chart-dialog.tsx'
import { TestChart } from './test-chart.tsx'
import classes from './tests.module.css'

const isOther = (result: string): result is OtherState => otherStates.some((one) => one === result)

/** Corrects the result of a test (devices specification, section 4); the chart beside it shows all series. */
export function UpdateDialog({ test, onClose }: { test: EmergencyTest; onClose: () => void }) {
  const { tenant } = useActor()
  const client = useQueryClient()
  const { data } = useQuery(testQuery(tenant, test.eventId))
  const {
    values: { choice, reason },
    change,
    isKept,
    clear,
  } = useDraft<{ choice: Correction; reason: string }>(`correct ${test.eventId} ${test.result}`, {
    choice: { componentStates: test.componentStates, other: isOther(test.result) ? test.result : undefined },
    reason: test.reason,
  })
  const ruledOut = data?.ruledOut ?? test.ruledOut ?? { passed: null, parts: {} }
  const before = { result: test.disputed?.countsAs ?? test.result, componentStates: test.componentStates }
  const after = { result: correctedResult(choice), componentStates: choice.componentStates }
  const against = contradiction(ruledOut, before, after)
  const hasReason = ownWords(reason, choice, test.corrected?.was ?? test) !== ''
  const [busy, setBusy] = useState(false)
  const [problems, setProblems] = useState<readonly string[]>([])
  const choose = (next: Correction) => {
    change({ choice: next, reason: changedReason(reason, choice, next) })
  }
  const send = async () => {
    setBusy(true)
    setProblems([])
    try {
      const { componentStates: states, other } = choice
      const form = { tenant, deviceId: test.deviceId, eventId: test.eventId, reason, ...states }
      await call(updateTestResult, { form: { ...form, ...(other && { otherState: other }) } })
      clear()
      showSuccess('Request Successful')
      void refreshTenant(client, tenant)
      onClose()
    } catch (error) {
      setBusy(false)
      setProblems(textsOf(error))
    }
  }
  return (
    <Dialog
      title="Update test result"
      size="120rem"
      onClose={onClose}
      busy={busy}
      keepsDraft
      form={{
        noValidate: true,
        onSubmit: (event) => {
          event.preventDefault()
          void send()
        },
      }}
      actions={
        <>
          {isKept && <DraftNote onDiscard={clear} />}
          <CancelButton disabled={busy} />
          <Button type="submit" loading={busy} disabled={against !== undefined || !hasReason}>
            Update
          </Button>
        </>
      }
    >
      <p className={classes.line}>
        {test.deviceName}, {test.testType}, <TimeOf at={test.testDate} />
      </p>
      <div className={classes.columns}>
        <div>
          {components.map((part) => (
            <Choice
              key={part}
              label={part}
              options={componentStates}
              value={choice.componentStates[part]}
              against={(state) => partContradiction(ruledOut, part, state as ComponentState)}
              onChange={(state) =>
                choose({ componentStates: { ...choice.componentStates, [part]: state as ComponentState } })
              }
            />
          ))}
          <Choice
            label="Other"
            options={['None', ...otherStates]}
            value={choice.other ?? 'None'}
            onChange={(other) => choose({ ...choice, other: isOther(other) ? other : undefined })}
          />
          <p className={classes.derived} role="status">
            Result{' '}
            <Result test={{ ...test, result: after.result, reportedResult: test.reportedResult ?? test.result }} />
          </p>
          <p className={classes.against} role="alert">
            {against}
          </p>
          <Textarea
            label="Reason"
            withAsterisk
            aria-required
            description={hasReason ? undefined : reasonMissing}
            autosize
            minRows={2}
            maxLength={800}
            value={reason}
            onChange={(event) => change({ reason: event.currentTarget.value })}
          />
          <Evidence test={test} />
        </div>
        {data && (
          <TestChart
            series={data.series}
            asked={minutesOf[test.testType] * 60}
            lasted={data.lasted}
            shortfall={shortfall(data)}
            secondAxis
          />
        )}
      </div>
      <Problems texts={problems} />
    </Dialog>
  )
}

interface ChoiceProps {
  label: string
  options: readonly string[]
  value: string | undefined
  /** Why an option is disabled. */
  against?: (option: string) => string | undefined
  onChange: (value: string) => void
}

/** A choice as radio buttons in a row. */
function Choice({ label, options, value, against, onChange }: ChoiceProps) {
  return (
    <fieldset className={classes.choice}>
      <legend>{label}</legend>
      {options.map((option) => (
        <label key={option} title={against?.(option)}>
          <input
            type="radio"
            name={label}
            checked={option === value}
            disabled={option !== value && against?.(option) !== undefined}
            onChange={() => onChange(option)}
          />
          {resultWord(option)}
        </label>
      ))}
    </fieldset>
  )
}
