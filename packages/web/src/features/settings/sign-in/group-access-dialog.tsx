import { useState } from 'react'
import type { GroupAccessRow } from '@caretaker/contract/group-access.ts'
import { GroupName } from '@caretaker/contract/group-access.ts'
import type { AccessRightsTag } from '@caretaker/contract/tags.ts'
import { groupRoles, longestGroupName, repeatedGroup } from '@caretaker/rules/identity/group-access.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { noRestrictions } from '@caretaker/rules/people/users.ts'
import { roleWords } from '@caretaker/rules/tenants/clients.ts'
import { SelectField, TextField } from '../../../ui/forms/fields.tsx'
import { FormDialog } from '../../../ui/forms/form-dialog.tsx'
import { useSubmission, useValidForm } from '../../../ui/forms/use-form.ts'
import { z } from '../../../ui/zod.ts'

type RowInput = { group: string; role: string; tag: string }
type RowOutput = { group: string; role: Role; tag: string }
const required = { group: true, role: true } as const

/** The schema of a row's form, which rejects a group that another row has. */
function schemaBeside(others: readonly GroupAccessRow[]) {
  const isNew = (group: string) => repeatedGroup([...others, { group }]) === undefined
  const schema = z.object({
    group: GroupName.refine(isNew, 'Another row has this group.'),
    role: z.enum(groupRoles as [Role, ...Role[]]),
    tag: z.string(),
  })
  return schema as z.ZodType<RowOutput, RowInput>
}

interface GroupAccessDialogProps {
  /** Undefined for a new row. */
  row: GroupAccessRow | undefined
  others: readonly GroupAccessRow[]
  tags: readonly AccessRightsTag[]
  onSave: (row: GroupAccessRow) => Promise<unknown>
  onClose: () => void
}

export function GroupAccessDialog({ row, others, tags, onSave, onClose }: GroupAccessDialogProps) {
  const [schema] = useState(() => schemaBeside(others))
  const form = useValidForm({
    schema,
    required,
    defaultValues: { group: row?.group ?? '', role: row?.role ?? '', tag: row?.tags[0] ?? noRestrictions },
    draft: { name: `group access ${row?.group ?? 'new'}` },
  })
  const submission = useSubmission(
    form,
    ({ group, role, tag }) => [onSave({ group, role, tags: tag === noRestrictions ? [] : [tag] })],
    onClose,
  )
  return (
    <FormDialog
      title={row ? `Edit ${row.group}` : 'Add group'}
      verb={row ? 'Save' : 'Add'}
      form={form}
      submission={submission}
      onClose={onClose}
      ready={!row || form.formState.isDirty}
    >
      <TextField
        form={form}
        name="group"
        label="Group"
        required
        first
        maxLength={longestGroupName}
        description="The name of the group in your directory, or the value that it sends for the group."
      />
      <SelectField
        form={form}
        name="role"
        label="Role"
        required
        data={groupRoles.map((role) => ({ value: role, label: roleWords(role) }))}
      />
      <SelectField
        form={form}
        name="tag"
        label="Access rights tag"
        data={[
          { value: noRestrictions, label: 'No restrictions' },
          ...tags.map(({ id, displayName }) => ({ value: id, label: displayName })),
        ]}
      />
    </FormDialog>
  )
}
