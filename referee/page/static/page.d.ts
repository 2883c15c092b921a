// What the page knows beside the State; for editors and `make lint` alone, no browser loads it.
import type { State } from "./state.d.ts";

export interface HouseRule { key: string; kind: "truth" | "choice" | "whole"; value: any; choices?: string[]; least?: number; most?: number }
export interface Edition { id: string; name: string; tiles: string[]; colours: Record<string, string>; players: [number, number]; house_rules: HouseRule[]; [more: string]: any }
export interface Format { id: string; players: [number, number] | null; changes: Record<string, any> }
export interface Session { organiser: boolean; csrf?: string; pin_set: boolean; has_table: boolean; players_may_correct?: boolean; corrections?: "organiser" | "agreement" | "players"; version?: string }

/** Everything a view draws from. */
export interface App {
  state: State | null; receivedAt: number; receivedWall: number; disconnectedAt: number | null; connected: boolean; eventCount: number;
  session: Session; editions: Edition[]; formats: Format[]; tab: string; part: string | null; largeView: boolean; turnCardVisible: boolean;
  sheet: null | { title: string; content: () => unknown; gone: () => string | null; opener?: any; abort: AbortController; signal: AbortSignal }; toast: null | { text: string; bad: boolean; failure: boolean }; viewMemories: Record<string, any>;
}

export interface ButtonOptions { sign?: string | null; kind?: string; [attribute: string]: unknown }
