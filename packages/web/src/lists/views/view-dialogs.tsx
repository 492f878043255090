import { MultiSelect, Radio, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { viewLimits } from '@caretaker/rules/lists/filters.ts'
import type { View } from '@caretaker/rules/views/view.ts'
import { viewNameFault } from '@caretaker/rules/views/view.ts'
import { usePresence } from '../../api/actor.ts'
import { textsOf } from '../../api/errors.ts'
import { usersQuery } from '../../api/users.ts'
import { ConfirmDialog, Dialog, questionWidth } from '../../ui/dialog.tsx'
import { TextField, useField } from '../../ui/forms/fields.tsx'
import { FormDialog } from '../../ui/forms/form-dialog.tsx'
import type { Form } from '../../ui/forms/use-form.ts'
import { useSubmission, useValidForm } from '../../ui/forms/use-form.ts'
import { Failed, Loading } from '../../ui/states.tsx'
import type { ViewChange } from './changes.ts'
import { countStarts, startsLost } from './start-counts.ts'
import { z } from '../../ui/zod.ts'
import classes from './views.module.css'

/** A unique name. */
function nameAmong(others: readonly View[]) {
  const names = others.map(({ label }) => label)
  return z
    .string()
    .trim()
    .max(viewLimits.label, `A view name can have at most ${viewLimits.label} characters`)
    .superRefine((name, context) => {
      const message = viewNameFault(name, names)
      if (message) context.addIssue({ code: 'custom', message })
    })
}

const required = { label: 'Please enter view name' }

interface SaveAsProps {
  /** The views of the listing, whose names are taken. */
  views: readonly View[]
  /** Whether the view can be shared. */
  shareable: boolean
  onSave: (view: { label: string; private: boolean }) => Promise<unknown>
  onClose: () => void
}

/** Saves the shown state as a new view. */
export function SaveAsDialog({ views, shareable, onSave, onClose }: SaveAsProps) {
  const { client } = usePresence()
  const form = useValidForm({
    schema: z.object({ label: nameAmong(views), visibility: z.enum(['private', 'public']) }),
    required,
    defaultValues: { label: '', visibility: 'private' },
    draft: { name: 'view new' },
  })
  const submission = useSubmission(
    form,
    ({ label, visibility }) => [onSave({ label, private: visibility === 'private' })],
    onClose,
  )
  const visibility = useField({ form, name: 'visibility' })
  return (
    <FormDialog title="Save view as" verb="Save" form={form} submission={submission} onClose={onClose}>
      <TextField form={form} name="label" label="Name" required first maxLength={viewLimits.label} />
      {shareable && (
        <Radio.Group label="Visibility" value={visibility.value as string} onChange={visibility.change}>
          <Stack gap="xs" mt={8}>
            <Radio value="private" label="Private: you and the authors you choose" />
            <Radio value="public" label={`Public: everyone in ${client.displayName}`} />
          </Stack>
        </Radio.Group>
      )}
    </FormDialog>
  )
}

interface ChangeProps {
  view: View
  onChange: (change: ViewChange) => Promise<unknown>
  onClose: () => void
}

export function RenameDialog({ view, views, onChange, onClose }: ChangeProps & { views: readonly View[] }) {
  const others = views.filter(({ viewId }) => viewId !== view.viewId)
  const form = useValidForm({
    schema: z.object({ label: nameAmong(others) }),
    required,
    defaultValues: { label: view.label },
  })
  const submission = useSubmission(form, ({ label }) => [onChange({ label })], onClose)
  return (
    <FormDialog
      title={`Rename view ${view.label}`}
      verb="Rename"
      form={form}
      submission={submission}
      onClose={onClose}
      ready={form.formState.isDirty}
    >
      <TextField form={form} name="label" label="Name" required first maxLength={viewLimits.label} />
    </FormDialog>
  )
}

/** Selects the users who may save the view in addition to its owner. */
export function AuthorsDialog(props: ChangeProps) {
  const { view, onChange, onClose } = props
  const { actor } = usePresence()
  const { data, isError, refetch } = useQuery(usersQuery(actor.tenant))
  const form = useValidForm({
    schema: z.object({ authors: z.array(z.string()) }),
    defaultValues: { authors: [...view.authors] },
  })
  const submission = useSubmission(form, ({ authors }) => [onChange({ authors })], onClose)
  const title = `Authors of ${view.label}`
  if (!data)
    return (
      <Dialog title={title} size={questionWidth} onClose={onClose}>
        {isError ? <Failed onRetry={() => void refetch()} /> : <Loading />}
      </Dialog>
    )
  const people = data.filter(({ id }) => id !== view.owner).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <FormDialog
      title={title}
      verb="Save"
      form={form}
      submission={submission}
      onClose={onClose}
      ready={form.formState.isDirty}
    >
      <AuthorsField form={form} people={people} />
    </FormDialog>
  )
}

interface AuthorsFieldProps {
  form: Form<{ authors: string[] }>
  people: { value: string; label: string }[]
}

function AuthorsField({ form, people }: AuthorsFieldProps) {
  const { inputRef, value, change, leave, error } = useField({ form, name: 'authors' })
  return (
    <MultiSelect
      ref={inputRef}
      label="Authors"
      description="Authors can see and save the view, like its owner."
      data={people}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Clear' }}
      nothingFoundMessage="No matching users"
      value={value as string[]}
      onChange={change}
      onBlur={leave}
      error={error}
      openOnFocus={false}
      classNames={{ inputField: classes.inner }}
      data-autofocus
    />
  )
}

interface LossProps {
  view: View
  onClose: () => void
}

/** The number of other users with the view as their start page, counted when the dialog opens. */
function useStarts(view: View) {
  const { actor } = usePresence()
  return useQuery({
    queryKey: [actor.tenant, 'start page counts', view.viewId],
    queryFn: () => countStarts(actor.tenant, view),
    gcTime: 0,
  })
}

export function DeleteViewDialog(props: LossProps & { isStartPage: boolean; onDelete: () => Promise<unknown> }) {
  const { view, isStartPage, onDelete, onClose } = props
  const starts = useStarts(view)
  const title = `Delete view ${view.label}`
  if (starts.isPending)
    return (
      <Dialog title={title} size={questionWidth} onClose={onClose}>
        <Loading />
      </Dialog>
    )
  const lost = startsLost(isStartPage, starts.data?.people ?? 0)
  return (
    <ConfirmDialog
      title={title}
      verb="Delete"
      danger
      onConfirm={() => onDelete().then(() => true as const, textsOf)}
      onClose={onClose}
    >
      {lost && <p>{lost}</p>}
      <p>{view.private ? 'This cannot be undone.' : 'Everyone else loses it too. This cannot be undone.'}</p>
    </ConfirmDialog>
  )
}

/** Asks before a public view that is the start page of other users becomes private. */
export function UnshareDialog({ view, losingAccess, onChange, onClose }: ChangeProps & { losingAccess: number }) {
  return (
    <ConfirmDialog
      title={`Make view ${view.label} private`}
      verb="Make private"
      onConfirm={() => onChange({ private: true }).then(() => true as const, textsOf)}
      onClose={onClose}
    >
      <p>{startsLost(false, losingAccess)}</p>
    </ConfirmDialog>
  )
}
