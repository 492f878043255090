import type { Actor } from './actor.ts'

/** Rights on the tenant as a whole, by name. */
export type GeneralRights = Readonly<Record<string, (actor: Actor) => boolean>>

/** A right on one object: `any` applies before the object is known, `one` to the object itself. */
export interface SubjectRight<Subject> {
  any(this: void, actor: Actor): boolean
  one(this: void, actor: Actor, subject: Subject): boolean
}
export type SubjectRights<Subject> = Readonly<Record<string, SubjectRight<Subject>>>
