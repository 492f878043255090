import { useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import type { AccessRightsTag } from '@caretaker/contract/tags.ts'
import type { User } from '@caretaker/contract/people.ts'
import { UserEmail, UserName } from '@caretaker/contract/people.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { roleWords } from '@caretaker/rules/tenants/clients.ts'
import { roles } from '@caretaker/rules/identity/roles.ts'
import { mayGrantRole, mayGrantTags, noRestrictions } from '@caretaker/rules/people/users.ts'
import { useActor } from '../../api/actor.ts'
import { showSuccess } from '../../ui/toasts.tsx'
import { SelectField, TextField } from '../../ui/forms/fields.tsx'
import { FormDialog } from '../../ui/forms/form-dialog.tsx'
import type { Form } from '../../ui/forms/use-form.ts'
import { useSubmission, useValidForm } from '../../ui/forms/use-form.ts'
import { withoutRestrictions } from './groups.ts'
import type { UserValues } from './queries.ts'
import { userChanges } from './queries.ts'
import { z } from '../../ui/zod.ts'

const UserForm = z.object({
  name: UserName,
  email: UserEmail,
  role: z.enum(roles),
  /** The id of an access rights tag, or the value for no restrictions. */
  tag: z.string(),
})
type UserInput = { name: string; email: string; role: string; tag: string }
type UserOutput = z.output<typeof UserForm>

const schema = UserForm as z.ZodType<UserOutput, UserInput>
const required = { name: true, email: true, role: true, tag: 'Access rights tag is required!' } as const

const valuesOf = ({ tag, ...rest }: UserOutput): UserValues => ({ ...rest, tag: tag === noRestrictions ? null : tag })

interface DialogProps {
  tags: readonly AccessRightsTag[]
  onClose: () => void
}

export function CreateUserDialog({ tags, onClose }: DialogProps) {
  const actor = useActor()
  const queryClient = useQueryClient()
  const [offered] = useState(() => tagChoices(actor, tags))
  const form = useValidForm({
    schema,
    required,
    defaultValues: { name: '', email: '', role: '', tag: offered[0]?.value ?? '' },
    draft: { name: 'user new', isPersonal: true },
  })
  const changes = userChanges(queryClient, actor.tenant)
  const submission = useSubmission(form, (values) => [changes.create(valuesOf(values))], onClose)
  return (
    <FormDialog title="Create user" verb="Create" form={form} submission={submission} onClose={onClose}>
      <UserFields form={form} roles={roleChoices(actor)} tags={offered} />
    </FormDialog>
  )
}

export function EditUserDialog({ user, tags, onClose }: DialogProps & { user: User }) {
  const actor = useActor()
  const queryClient = useQueryClient()
  const form = useValidForm({
    schema,
    required,
    defaultValues: {
      name: user.name,
      email: user.email ?? '',
      role: user.role,
      tag: user.accessRightsTag ?? noRestrictions,
    },
    draft: { name: `user ${user.id}`, isPersonal: true },
  })
  const changes = userChanges(queryClient, actor.tenant)
  const submission = useSubmission(
    form,
    (values) => changes.update(user, valuesOf(values)),
    () => {
      showSuccess('User updated successfully!')
      onClose()
    },
  )
  return (
    <FormDialog
      title={`Edit ${user.name}`}
      verb="Save"
      form={form}
      submission={submission}
      onClose={onClose}
      ready={form.formState.isDirty}
    >
      <UserFields form={form} roles={roleChoices(actor, user)} tags={tagChoices(actor, tags, user)} />
    </FormDialog>
  )
}

interface Choice {
  value: string
  label: string
  disabled?: boolean
}

/** The roles that the actor may grant; the current role of a user is always included. */
function roleChoices(actor: Actor, user?: User): Choice[] {
  return roles
    .filter((role) => mayGrantRole(actor, role) || role === user?.role)
    .map((role) => ({ value: role, label: roleWords(role), disabled: !mayGrantRole(actor, role) }))
}

/** 'No restrictions' and the access rights tags that the actor may assign. */
function tagChoices(actor: Actor, tags: readonly AccessRightsTag[], user?: User): Choice[] {
  const all = [
    { value: noRestrictions, label: withoutRestrictions, given: [] as string[] },
    ...tags.map(({ id, displayName }) => ({ value: id, label: displayName, given: [id] })),
  ]
  return all
    .filter(({ value, given }) => mayGrantTags(actor, given) || value === user?.accessRightsTag)
    .map(({ value, label }) => ({ value, label }))
}

function UserFields({ form, roles, tags }: { form: Form<UserInput, UserOutput>; roles: Choice[]; tags: Choice[] }) {
  return (
    <>
      <TextField form={form} name="name" label="Name" required first maxLength={100} />
      <TextField form={form} name="email" label="E-mail" required type="email" maxLength={320} />
      <SelectField form={form} name="role" label="Role" required data={roles} placeholder="Choose a role" />
      <SelectField
        form={form}
        name="tag"
        label="Access rights tag"
        required
        data={tags}
        description="A user with a tag sees only devices and properties with the same tag."
      />
    </>
  )
}
