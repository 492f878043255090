import { useCallback, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useWatch } from 'react-hook-form'
import { IconPlus } from '../../icons/index.ts'
import type { Tag } from '@caretaker/contract/tags.ts'
import { delayWords } from '@caretaker/rules/alerts/delay.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { tagNameFault } from '@caretaker/rules/tags/tag-names.ts'
import { useActor } from '../../api/actor.ts'
import { textsOf } from '../../api/errors.ts'
import { tagsQuery } from '../../api/tags.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/forms/fields.tsx'
import { FormDialog } from '../../ui/forms/form-dialog.tsx'
import { useSubmission, useValidForm } from '../../ui/forms/use-form.ts'
import type { GenericColumn } from '../../ui/generic-table.tsx'
import { GenericTable } from '../../ui/generic-table.tsx'
import { Empty } from '../../ui/states.tsx'
import { DeleteButton } from './delete-button.tsx'
import { EditButton } from './edit-button.tsx'
import { tagChanges } from './queries.ts'
import { z } from '../../ui/zod.ts'
import classes from './settings.module.css'

interface TagRow extends Tag {
  /** The alert delays of the tag, in words. */
  delays: string
}

/** The tags of the client, with their alert delays. */
export function Tags() {
  const actor = useActor()
  const { data, isError, refetch } = useQuery(tagsQuery(actor.tenant))
  const [adding, setAdding] = useState(false)
  const [renaming, setRenaming] = useState<Tag>()
  const [deleting, setDeleting] = useState<Tag>()
  const [added, setAdded] = useState<string>()
  const rows = useMemo(
    () =>
      (data?.tags ?? []).map((tag): TagRow => {
        const alerts = data?.alerts.filter(({ tagId }) => tagId === tag.id) ?? []
        return { ...tag, delays: alerts.map(({ delay, delayUnit }) => delayWords(delay, delayUnit)).join(', ') }
      }),
    [data],
  )
  const mayChange = can(actor, 'change tags')
  const buttons = useMemo(
    () =>
      mayChange &&
      ((tag: Tag) => (
        <>
          <EditButton name={tag.name} onPress={() => setRenaming(tag)} />
          <DeleteButton name={tag.name} onPress={() => setDeleting(tag)} />
        </>
      )),
    [mayChange],
  )
  const columns = useMemo(() => columnsFor(buttons), [buttons])
  const phoneRow = useCallback(
    (row: TagRow) => (
      <span className={classes.phoneRow}>
        <span>
          <b className={classes.phoneName}>{row.name}</b>
          {row.delays && <span className={classes.dimmed}>Alert delay {row.delays}</span>}
        </span>
        {buttons && <span className={classes.phoneButtons}>{buttons(row)}</span>}
      </span>
    ),
    [buttons],
  )
  return (
    <>
      <GenericTable
        label="Tags"
        columns={columns}
        rows={rows}
        rowId={(row) => row.id}
        rowHref={() => undefined}
        status={data ? 'ready' : isError ? 'failed' : 'loading'}
        onRetry={() => void refetch()}
        empty={<Empty text="No Tags" hint="Tags group devices across buildings." />}
        phoneRow={phoneRow}
        reveal={added}
        actions={
          can(actor, 'manage tags') && (
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)} disabled={!data}>
              Add tag
            </Button>
          )
        }
      />
      {adding && data && (
        <AddTagDialog others={data.tags} onAdded={({ id }) => setAdded(id)} onClose={() => setAdding(false)} />
      )}
      {renaming && data && <EditTagDialog tag={renaming} tags={data.tags} onClose={() => setRenaming(undefined)} />}
      {deleting && <DeleteTagDialog tag={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  )
}

function columnsFor(buttons: ((tag: Tag) => ReactNode) | false): GenericColumn<TagRow>[] {
  return [
    { id: 'name', header: 'Name', width: 320, link: true, value: (row) => row.name, cell: (row) => row.name },
    {
      id: 'alerts',
      header: 'Alert delay',
      width: 240,
      value: (row) => row.delays,
      cell: (row) => row.delays || <span className={classes.dimmed}>–</span>,
    },
    ...(buttons
      ? [
          {
            id: 'actions',
            header: 'Actions',
            width: 120,
            align: 'end' as const,
            cell: buttons,
          },
        ]
      : []),
  ]
}

interface AddProps {
  others: readonly Tag[]
  onAdded: (tag: Tag) => void
  onClose: () => void
}

function AddTagDialog({ others, onAdded, onClose }: AddProps) {
  const { tenant } = useActor()
  const { create } = tagChanges(useQueryClient(), tenant)
  const save = (name: string) => create(name).then(onAdded)
  return <TagForm title="Add tag" verb="Add" name="" others={others} save={save} onClose={onClose} />
}

function EditTagDialog({ tag, tags, onClose }: { tag: Tag; tags: readonly Tag[]; onClose: () => void }) {
  const { tenant } = useActor()
  const { rename } = tagChanges(useQueryClient(), tenant)
  return (
    <TagForm
      title={`Edit tag ${tag.name}`}
      verb="Save"
      name={tag.name}
      others={tags.filter(({ id }) => id !== tag.id)}
      hint="Every device with the tag gets the new name. Saved views that filter by the old name no longer match."
      save={(name) => rename(tag.id, name)}
      onClose={onClose}
    />
  )
}

interface TagFormProps {
  title: string
  verb: string
  /** The stored name; empty for a new tag. */
  name: string
  others: readonly Tag[]
  hint?: string
  save: (name: string) => Promise<void>
  onClose: () => void
}

/** The name of a tag. An unchanged name, or one refused by the server and not changed since, is not sent. */
function TagForm({ title, verb, name, others, hint, save, onClose }: TagFormProps) {
  const form = useValidForm({
    schema: z.object({
      name: z.string().superRefine((typed, context) => {
        const fault = tagNameFault(
          typed,
          others.map((tag) => tag.name),
        )
        if (fault) context.addIssue(fault)
      }),
    }),
    required: { name: 'Tag name is required!' },
    defaultValues: { name },
  })
  const [refused, setRefused] = useState<string>()
  const typed = useWatch({ control: form.control, name: 'name' })
  if (refused !== undefined && refused !== typed) setRefused(undefined)
  const send = (sent: string) =>
    save(sent).catch((error: unknown) => {
      setRefused(sent)
      throw error
    })
  const submission = useSubmission(form, (values) => [send(values.name)], onClose)
  return (
    <FormDialog
      title={title}
      verb={verb}
      form={form}
      submission={submission}
      onClose={onClose}
      ready={form.formState.isDirty && refused === undefined}
    >
      <TextField
        form={form}
        name="name"
        label="Name"
        required
        first
        description="Letters and numbers, at most 20, without spaces."
      />
      {hint && <p className={classes.dimmed}>{hint}</p>}
    </FormDialog>
  )
}

function DeleteTagDialog({ tag, onClose }: { tag: Tag; onClose: () => void }) {
  const { tenant } = useActor()
  const { remove } = tagChanges(useQueryClient(), tenant)
  return (
    <ConfirmDialog
      title={`Delete tag ${tag.name}`}
      verb="Delete"
      danger
      onConfirm={() => remove(tag).then(() => true as const, textsOf)}
      onClose={onClose}
    >
      <p>The tag is removed from every device, and its alert rules are deleted.</p>
    </ConfirmDialog>
  )
}
