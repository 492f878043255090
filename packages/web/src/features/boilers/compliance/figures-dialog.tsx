import { useQueryClient } from '@tanstack/react-query'
import { changeComplianceFigures } from '@caretaker/contract/calls/compliance.ts'
import type { Figures } from '@caretaker/rules/compliance/due.ts'
import { figureLimits } from '@caretaker/rules/compliance/due.ts'
import type { RecordType } from '@caretaker/rules/compliance/records.ts'
import { recordTypeWords } from '@caretaker/rules/compliance/records.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { FormDialog } from '../../../ui/forms/form-dialog.tsx'
import { NumberField } from '../../../ui/forms/number-field.tsx'
import { useSubmission, useValidForm } from '../../../ui/forms/use-form.ts'
import { showSuccess } from '../../../ui/toasts.tsx'
import { z } from '../../../ui/zod.ts'
import { figuresQuery } from './queries.ts'
import classes from './compliance.module.css'

const within = ({ least, most }: { least: number; most: number }) => {
  const fault = `A whole number from ${least} to ${most}`
  return z.number().int(fault).min(least, fault).max(most, fault)
}

interface FiguresDialogProps {
  type: RecordType
  figures: Figures
  onClose: () => void
}

/** The figures from which a record type's due dates are computed, for all of the client's boilers. */
export function FiguresDialog({ type, figures, onClose }: FiguresDialogProps) {
  const { tenant } = useActor()
  const client = useQueryClient()
  const form = useValidForm({
    schema: z
      .object({
        months: within(figureLimits.months),
        window: within(figureLimits.window),
        notice: within(figureLimits.notice),
      })
      .refine(({ months, window }) => window < months, {
        path: ['window'],
        message: 'Must be shorter than the time between checks',
      }),
    defaultValues: { months: figures.months, window: figures.window, notice: figures.notice },
    draft: { name: `figures ${type}` },
  })
  const words = recordTypeWords[type].toLowerCase()
  const submission = useSubmission(
    form,
    (values) => [
      call(changeComplianceFigures, { body: { tenant, type, figures: values } }).then(async () => {
        await client.invalidateQueries(figuresQuery(tenant))
        showSuccess(`The due dates of ${words} were recalculated.`)
      }),
    ],
    onClose,
  )
  return (
    <FormDialog
      title={`When ${words} is due`}
      verb="Save"
      form={form}
      submission={submission}
      ready={form.formState.isDirty}
      onClose={onClose}
    >
      <p className={classes.sentence}>These figures apply to all boilers and properties of this client from now on.</p>
      <NumberField
        form={form}
        name="months"
        label="Months between checks"
        min={figureLimits.months.least}
        max={figureLimits.months.most}
      />
      <NumberField
        form={form}
        name="window"
        label="Months before the due date in which an early check does not move the next due date"
        min={figureLimits.window.least}
        max={figureLimits.window.most}
      />
      <NumberField
        form={form}
        name="notice"
        label="Days before the due date from which it is due soon"
        description="At least two months before it, where checks recur less often."
        min={figureLimits.notice.least}
        max={figureLimits.notice.most}
      />
    </FormDialog>
  )
}
