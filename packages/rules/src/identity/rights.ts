import type { Actor } from './actor.ts'

/** Questions about the tenant as a whole, by the words in which they are asked. */
export type GeneralRights = Readonly<Record<string, (actor: Actor) => boolean>>

/** A question about one thing: `any` is asked where it is not known yet which, `one` with the thing itself. */
export interface SubjectRight<Subject> {
  any(this: void, actor: Actor): boolean
  one(this: void, actor: Actor, subject: Subject): boolean
}
export type SubjectRights<Subject> = Readonly<Record<string, SubjectRight<Subject>>>
