import { useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { useWatch } from 'react-hook-form'
import type { Condition } from '@caretaker/contract/conditions.ts'
import { endDeviceCondition, setDeviceCondition } from '@caretaker/contract/calls/conditions.ts'
import { text } from '@caretaker/contract/scalars.ts'
import { dayAt, dayFrom } from '@caretaker/rules/calendar/days.ts'
import type { ConditionKind, SettableKind } from '@caretaker/rules/conditions/conditions.ts'
import { settableKinds } from '@caretaker/rules/conditions/conditions.ts'
import { requiredDetails, missingDetailTexts, settableKindsOf } from '@caretaker/rules/conditions/settable.ts'
import { settableWords } from '@caretaker/rules/conditions/words.ts'
import { statusText } from '@caretaker/rules/devices/status.ts'
import type { ActionTarget } from '../actions/target.ts'
import { useActor } from '../api/actor.ts'
import { call } from '../api/call.ts'
import { devicePageKey } from '../api/device.ts'
import { SelectField, TextField } from '../ui/forms/fields.tsx'
import { FormDialog } from '../ui/forms/form-dialog.tsx'
import { useSubmission, useValidForm } from '../ui/forms/use-form.ts'
import { showSuccess } from '../ui/toasts.tsx'
import { useZone } from '../ui/zone.tsx'
import { z } from '../ui/zod.ts'

interface ConditionDialogProps {
  device: ActionTarget
  onClose: () => void
}

/** Closes the dialog, shows the new status and refetches the page. */
function useDone({ device, onClose }: ConditionDialogProps) {
  const actor = useActor()
  const client = useQueryClient()
  return (outcome: string) => async (answer: Promise<{ status: string }>) => {
    const { status } = await answer
    void client.invalidateQueries({ queryKey: devicePageKey(actor.tenant, device.deviceId) })
    showSuccess(`${outcome} The status is now ${statusText(status)}.`)
    onClose()
  }
}

const writtenDay = (fault: string, fits: (day: string) => boolean) =>
  z.string().refine((value) => {
    const day = dayFrom(value)
    return day !== undefined && fits(day)
  }, fault)
const Note = text(500)

/** Sets a condition that no test or message reports. */
export function SetConditionDialog({
  device,
  known,
  onClose,
}: ConditionDialogProps & { known: readonly ConditionKind[] }) {
  const actor = useActor()
  const zone = useZone()
  const [today] = useState(() => dayAt(Date.now(), zone))
  const done = useDone({ device, onClose })
  const kinds = settableKindsOf(device.product).filter((kind) => !known.includes(kind))
  const form = useValidForm({
    schema: z
      .object({
        condition: z.enum(settableKinds),
        note: Note,
        until: z.union([
          z.literal(''),
          writtenDay('Enter a day as DD/MM/YYYY, today at the earliest, or leave it empty', (day) => day >= today),
        ]),
        interimMeasure: Note,
      })
      .superRefine((values, context) => {
        for (const field of requiredDetails(values.condition, device.product))
          if (!values[field].trim())
            context.addIssue({ code: 'custom', path: [field], message: missingDetailTexts[field] })
      }) as z.ZodType<SetValues, SetInput>,
    required: { condition: 'A status is required!' },
    defaultValues: { condition: '', note: '', until: '', interimMeasure: '' },
    draft: { name: `status ${device.deviceId}` },
  })
  const condition = useWatch({ control: form.control, name: 'condition' })
  const required = requiredDetails(condition, device.product)
  const needs = (field: (typeof required)[number]) => required.includes(field)
  const submission = useSubmission(
    form,
    ({ condition, note, until, interimMeasure }) => [
      done('Saved.')(
        call(setDeviceCondition, {
          body: {
            tenant: actor.tenant,
            deviceId: device.deviceId,
            condition,
            ...(note.trim() && { note }),
            ...(until && { until: dayFrom(until)! }),
            ...(needs('interimMeasure') && interimMeasure.trim() && { interimMeasure }),
          },
        }),
      ),
    ],
    () => {},
  )
  return (
    <FormDialog title="Set status" verb="Set" form={form} submission={submission} onClose={onClose}>
      <SelectField
        form={form}
        name="condition"
        label="Condition"
        required
        data={kinds.map((kind) => ({ value: kind, label: settableWords[kind] }))}
      />
      {needs('interimMeasure') && (
        <TextField
          form={form}
          name="interimMeasure"
          label="Interim measure"
          required
          maxLength={500}
          description="What is done until the light works again. Shown on the inspector’s sheet"
        />
      )}
      <TextField
        form={form}
        name="note"
        label={needs('note') ? 'Reason' : 'Note'}
        required={needs('note')}
        maxLength={500}
      />
      <TextField
        form={form}
        name="until"
        label="Last day"
        required={needs('until')}
        description={needs('until') ? 'DD/MM/YYYY' : 'DD/MM/YYYY. Leave empty to keep it until someone ends it'}
      />
    </FormDialog>
  )
}
interface SetInput {
  [name: string]: string
  condition: string
  note: string
  until: string
  interimMeasure: string
}
interface SetValues extends SetInput {
  condition: SettableKind
}

/** Ends a condition that a user has set. */
export function EndConditionDialog({
  device,
  condition,
  text: what,
  onClose,
}: ConditionDialogProps & { condition: Condition; text: string }) {
  const actor = useActor()
  const done = useDone({ device, onClose })
  const form = useValidForm({
    schema: z.object({ note: Note }),
    defaultValues: { note: '' },
    draft: { name: `end ${condition.conditionId}` },
  })
  const submission = useSubmission(
    form,
    ({ note }) => [
      done('Ended.')(
        call(endDeviceCondition, {
          body: {
            tenant: actor.tenant,
            deviceId: device.deviceId,
            conditionId: condition.conditionId,
            ...(note.trim() && { note }),
          },
        }),
      ),
    ],
    () => {},
  )
  return (
    <FormDialog title="End this condition?" verb="End" form={form} submission={submission} onClose={onClose}>
      <p>{what}.</p>
      <TextField form={form} name="note" label="Note" maxLength={500} />
    </FormDialog>
  )
}
