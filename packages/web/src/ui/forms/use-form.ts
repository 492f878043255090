import { useEffect, useState } from 'react'
import type { BaseSyntheticEvent } from 'react'
import { zodResolver } from '@hookform/resolvers/zod'
import type { DefaultValues, FieldErrors, FieldValues, Path, PathValue, Resolver, UseFormReturn } from 'react-hook-form'
import { useForm } from 'react-hook-form'
import type { $ZodType } from 'zod/v4/core'
import type { Complaint } from '@caretaker/contract/error-texts.ts'
import { CallError } from '@caretaker/contract/error-texts.ts'
import type { DraftName, DraftStore } from '../draft.ts'
import { useDraftStore } from '../draft.ts'
import '../zod.ts'
import type { FormFaults } from './merge-errors.ts'
import { formFaults } from './merge-errors.ts'
import type { Required } from './required.ts'
import { requiredFaults } from './required.ts'
import type { RequestStatus } from './status.ts'
import { formStatus } from './status.ts'

/** Milliseconds after the last key before a new error is shown (core specification, section 5). */
export const typingDelay = 1_000

/** A form of input I that gives output O. */
// oxlint-disable-next-line typescript/no-explicit-any -- the library's own place for a context, which no form uses
export type Form<I extends FieldValues, O = I> = UseFormReturn<I, any, O>

interface FormSpec<I extends FieldValues, O> {
  /** The contract's own schema where there is one: what the server refuses is not sent. */
  schema: $ZodType<O, I>
  defaultValues: I
  /** Fields without which the form is not valid. */
  required?: Required<I>
  /** Keeps what is typed in this browser until it is sent or discarded (`ui/draft.ts`). */
  draft?: DraftName
}

/** A form: an error shows at once on leaving a field, a second after the last key while typing, and goes at once when mended. */
export function useValidForm<I extends FieldValues, O extends FieldValues>(spec: FormSpec<I, O>): Form<I, O> {
  const { schema, defaultValues, required = {}, draft } = spec
  const [resolver] = useState(() => formResolver(schema, required))
  const form = useForm<I, unknown, O>({
    resolver,
    defaultValues: defaultValues as DefaultValues<I>,
    mode: 'all',
    delayError: typingDelay,
  })
  useKeptValues(form, useDraftStore(draft))
  return form
}

/** The drafts of forms that keep one, by what identifies a form. */
const drafts = new WeakMap<object, DraftStore>()
/** Where a form keeps its draft; undefined for one without. */
export const draftOf = <I extends FieldValues, O>({ control }: Form<I, O>): DraftStore | undefined =>
  drafts.get(control)

/** Takes a form back to what it began with, and forgets its draft. */
export function discardDraft<I extends FieldValues, O>(form: Form<I, O>): void {
  form.reset()
  draftOf(form)?.clear()
}

/** Fills a form with what was typed before, and keeps every change of it. */
function useKeptValues<I extends FieldValues, O>(form: Form<I, O>, store: DraftStore | undefined): void {
  if (store) drafts.set(form.control, store)
  useEffect(() => {
    if (!store) return undefined
    // Read anew each time: a form that stays open begins again with what it has saved.
    const begun = () => form.control._defaultValues as Record<string, unknown>
    for (const [name, value] of Object.entries(store.read() ?? {}))
      if (name in begun()) form.setValue(name as Path<I>, value as PathValue<I, Path<I>>, typedBefore)
    const { unsubscribe } = form.watch((values) => {
      const typed = Object.entries(values).filter(
        ([name, value]) => !(value instanceof File) && !isSame(value, begun()[name]),
      )
      if (typed.length) store.write(Object.fromEntries(typed))
      else store.clear()
    })
    return unsubscribe
  }, [form, store])
}
const typedBefore = { shouldDirty: true, shouldTouch: true, shouldValidate: true } as const
const isSame = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null)

/** Decides what is wrong with the values of a form; while anything is, the form is not valid. */
export function formResolver<I extends FieldValues, O>(
  schema: $ZodType<O, I>,
  required: Required<I>,
): Resolver<I, unknown, O> {
  return withRequired(zodResolver(schema) as Resolver<I, unknown, O>, required)
}

/** A required field that is empty says so, whatever other rules it breaks. */
function withRequired<I extends FieldValues, O>(
  resolver: Resolver<I, unknown, O>,
  required: Required<I>,
): Resolver<I, unknown, O> {
  return async (values, context, options) => {
    const result = await resolver(values, context, options)
    const missing = Object.entries(requiredFaults(values, required)).map(([name, message]) => [
      name,
      { type: 'required', message },
    ])
    if (missing.length === 0) return result
    return { values: {}, errors: { ...result.errors, ...Object.fromEntries(missing) } as FieldErrors<I> }
  }
}

/** Thrown by an action that has said in a toast already why it failed: the form adds what it has for single fields. */
export class AlreadySaid extends Error {
  override name = 'AlreadySaid'
  constructor(error: unknown) {
    super('said in a toast', { cause: error })
  }
}

export interface Submission {
  onSubmit: (event?: BaseSyntheticEvent) => Promise<void>
  status: RequestStatus
  /** What the server said that belongs to no field. */
  problems: string[]
}

/**
 * Sends a valid form: `send` begins one or several calls with its values, `done` follows when all have succeeded. What the
 * server refuses is merged into the form: errors of a field at the field, the others as `problems`.
 */
export function useSubmission<I extends FieldValues, O>(
  form: Form<I, O>,
  send: (values: O) => Promise<unknown>[],
  done: () => void,
): Submission {
  const [problems, setProblems] = useState<string[]>([])
  const [actions, setActions] = useState<RequestStatus[]>([])
  const settle = (at: number, status: RequestStatus) =>
    setActions((now) => now.map((one, index) => (index === at ? status : one)))
  const submit = async (values: O) => {
    setProblems([])
    const calls = send(values)
    setActions(calls.map(() => 'loading'))
    const outcomes = await Promise.allSettled(calls.map((one, at) => followed(one, (status) => settle(at, status))))
    const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
    if (errors.length === 0) {
      draftOf(form)?.clear()
      return done()
    }
    const faults = errors.map((error) => faultsIn(error, Object.keys(form.getValues())))
    setProblems([...new Set(faults.flatMap(({ whole }) => whole))])
    for (const [name, texts] of faults.flatMap(({ fields }) => Object.entries(fields)))
      form.setError(name as Path<I>, { type: 'server', message: texts.join(' ') })
  }
  return { onSubmit: form.handleSubmit(submit), status: formStatus(actions), problems }
}

/** Tells how an action of a form ends. */
async function followed(action: Promise<unknown>, settle: (status: RequestStatus) => void): Promise<void> {
  try {
    await action
    settle('success')
  } catch (error) {
    settle('failed')
    throw error
  }
}

function faultsIn(error: unknown, fields: readonly string[]): FormFaults {
  if (error instanceof AlreadySaid) return { ...faultsIn(error.cause, fields), whole: [] }
  return formFaults(complaintIn(error), fields)
}

function complaintIn(error: unknown): Complaint {
  if (error instanceof CallError) return error.complaint
  return { status: 0, message: '', domainErrors: [], validationErrors: [] }
}
