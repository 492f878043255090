import { useQueryClient } from '@tanstack/react-query'
import type { EmergencyTest } from '@caretaker/contract/lighting.ts'
import { decideTestDispute, disputeTestResult } from '@caretaker/contract/calls/lighting.ts'
import { text } from '@caretaker/contract/scalars.ts'
import { reasonLength, reasonMissing } from '@caretaker/rules/lighting/decisions.ts'
import { refreshTenant } from '../../../actions/refresh.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { TextField } from '../../../ui/forms/fields.tsx'
import { FormDialog } from '../../../ui/forms/form-dialog.tsx'
import { useSubmission, useValidForm } from '../../../ui/forms/use-form.ts'
import { showSuccess } from '../../../ui/toasts.tsx'
import { TimeOf } from '../../../ui/zone.tsx'
import { z } from '../../../ui/zod.ts'
import { resultWord } from '../test-result.tsx'

/** The part of a test that a decision needs. */
export type DecidedTest = Pick<EmergencyTest, 'eventId' | 'deviceId' | 'testType' | 'testDate' | 'result'>

interface ReasonDialogProps {
  title: string
  verb: string
  test: DecidedTest
  hint: string
  done: string
  send: (reason: string) => Promise<unknown>
  onClose: () => void
}

/** Asks for a reason, which every decision about a result requires. */
function ReasonDialog({ title, verb, test, hint, done, send, onClose }: ReasonDialogProps) {
  const { tenant } = useActor()
  const client = useQueryClient()
  const form = useValidForm({
    schema: z.object({ reason: text(reasonLength).refine((value) => /[\p{L}\p{N}]/u.test(value), reasonMissing) }),
    required: { reason: reasonMissing },
    defaultValues: { reason: '' },
    draft: { name: `${title} ${test.eventId}` },
  })
  const submission = useSubmission(
    form,
    ({ reason }) => [send(reason.trim())],
    () => {
      showSuccess(done)
      void refreshTenant(client, tenant)
      onClose()
    },
  )
  return (
    <FormDialog title={title} verb={verb} form={form} submission={submission} onClose={onClose}>
      <p>
        {test.testType} test, <TimeOf at={test.testDate} />: {resultWord(test.result)}
      </p>
      <TextField form={form} name="reason" label="Reason" required first maxLength={reasonLength} description={hint} />
    </FormDialog>
  )
}

/** Disputes a result; an administrator decides. */
export function DisputeDialog({ test, onClose }: { test: DecidedTest; onClose: () => void }) {
  const { tenant } = useActor()
  const { deviceId, eventId } = test
  return (
    <ReasonDialog
      title="Dispute result"
      verb="Dispute"
      test={test}
      hint={`An administrator decides. Until then the light counts as ${test.result.toLowerCase()}.`}
      done="Result disputed."
      send={(reason) => call(disputeTestResult, { body: { tenant, deviceId, eventId, reason } })}
      onClose={onClose}
    />
  )
}

/** Decides a disputed result. */
export function DecideDialog({
  test,
  countsAs,
  decision,
  onClose,
}: {
  test: DecidedTest
  countsAs: string
  decision: 'keep' | 'indeterminate'
  onClose: () => void
}) {
  const { tenant } = useActor()
  const { deviceId, eventId } = test
  const keeps = decision === 'keep'
  return (
    <ReasonDialog
      title={keeps ? `Keep as ${countsAs}` : 'Change to Indeterminate'}
      verb={keeps ? 'Keep' : 'Change'}
      test={test}
      hint={keeps ? 'The result from the readings is kept.' : 'The test then does not count and has to be repeated.'}
      done={keeps ? `Result kept as ${countsAs}.` : 'Result changed to Indeterminate.'}
      send={(reason) => call(decideTestDispute, { body: { tenant, deviceId, eventId, decision, reason } })}
      onClose={onClose}
    />
  )
}
