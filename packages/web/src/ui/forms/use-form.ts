import { useEffect, useState } from 'react'
import type { BaseSyntheticEvent } from 'react'
import { zodResolver } from '@hookform/resolvers/zod'
import type { DefaultValues, FieldErrors, FieldValues, Path, PathValue, Resolver, UseFormReturn } from 'react-hook-form'
import { useForm } from 'react-hook-form'
import type { $ZodType } from 'zod/v4/core'
import type { CallFailure } from '@caretaker/contract/error-texts.ts'
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

/** Milliseconds after the last keystroke before a new error is shown (core specification, section 5). */
export const typingDelay = 1_000

/** A form with input I and output O. */
// oxlint-disable-next-line typescript/no-explicit-any -- the library's own place for a context, which no form uses
export type Form<I extends FieldValues, O = I> = UseFormReturn<I, any, O>

interface FormSpec<I extends FieldValues, O> {
  /** The contract's schema if there is one, so that invalid values are not sent. */
  schema: $ZodType<O, I>
  defaultValues: I
  /** Required fields. */
  required?: Required<I>
  /** Keeps typed text in this browser until sent or discarded (`ui/draft.ts`). */
  draft?: DraftName
}

/**
 * A form: an error shows at once on blur, one second after the last keystroke while typing, and disappears at once when
 * corrected.
 */
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

/** The draft stores of forms, by form control. */
const drafts = new WeakMap<object, DraftStore>()
/** The draft store of a form; undefined without one. */
export const draftOf = <I extends FieldValues, O>({ control }: Form<I, O>): DraftStore | undefined =>
  drafts.get(control)

/** Resets a form to its initial values and deletes its draft. */
export function discardDraft<I extends FieldValues, O>(form: Form<I, O>): void {
  form.reset()
  draftOf(form)?.clear()
}

/** Restores the draft of a form, and stores every change. */
function useKeptValues<I extends FieldValues, O>(form: Form<I, O>, store: DraftStore | undefined): void {
  if (store) drafts.set(form.control, store)
  useEffect(() => {
    if (!store) return undefined
    // Read each time: a form that stays open starts again with its saved values.
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

/** Validates the values of a form. */
export function formResolver<I extends FieldValues, O>(
  schema: $ZodType<O, I>,
  required: Required<I>,
): Resolver<I, unknown, O> {
  return withRequired(zodResolver(schema) as Resolver<I, unknown, O>, required)
}

/** An empty required field shows that error, whatever other rules it violates. */
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

/** Thrown by an action that has already shown its error in a toast: the form only adds errors of single fields. */
export class AlreadyShown extends Error {
  override name = 'AlreadyShown'
  constructor(error: unknown) {
    super('shown in a toast', { cause: error })
  }
}

export interface Submission {
  onSubmit: (event?: BaseSyntheticEvent) => Promise<void>
  status: RequestStatus
  /** Server messages that belong to no field. */
  problems: string[]
}

/**
 * Submits a valid form: `send` makes one or several calls with its values, `done` is called when all have succeeded.
 * Server errors are merged into the form: field errors at the field, others as `problems`.
 */
export function useSubmission<I extends FieldValues, O>(
  form: Form<I, O>,
  send: (values: O) => Promise<unknown>[],
  done: () => void,
): Submission {
  const [problems, setProblems] = useState<string[]>([])
  const [actions, setActions] = useState<RequestStatus[]>([])
  const setOutcome = (at: number, status: RequestStatus) =>
    setActions((now) => now.map((one, index) => (index === at ? status : one)))
  const submit = async (values: O) => {
    setProblems([])
    const calls = send(values)
    setActions(calls.map(() => 'loading'))
    const outcomes = await Promise.allSettled(calls.map((one, at) => followed(one, (status) => setOutcome(at, status))))
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

/** Reports the outcome of a form action. */
async function followed(action: Promise<unknown>, setOutcome: (status: RequestStatus) => void): Promise<void> {
  try {
    await action
    setOutcome('success')
  } catch (error) {
    setOutcome('failed')
    throw error
  }
}

function faultsIn(error: unknown, fields: readonly string[]): FormFaults {
  if (error instanceof AlreadyShown) return { ...faultsIn(error.cause, fields), whole: [] }
  return formFaults(complaintIn(error), fields)
}

function complaintIn(error: unknown): CallFailure {
  if (error instanceof CallError) return error.complaint
  return { status: 0, message: '', domainErrors: [], validationErrors: [] }
}
