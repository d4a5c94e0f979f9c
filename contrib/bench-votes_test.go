// The peer's side of cairn-bench's rows of votes: copy into Tendermint's folder
// libs/protoio and run `go test -run none -bench Delimited\|SignBytes -benchmem`
// there. Tendermint had benchmarks of these names beside its optimised
// MarshalDelimited; the branch that is left has neither, so delimited below is
// that form: the size first, then one buffer.

package protoio_test

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"github.com/gogo/protobuf/proto"

	"github.com/tendermint/tendermint/libs/protoio"
	tmproto "github.com/tendermint/tendermint/proto/tendermint/types"
)

const chainID = "test_chain_id"

var sink []byte

func vote(i int) *tmproto.Vote {
	return &tmproto.Vote{
		Type:      tmproto.PrecommitType,
		Height:    12345,
		Round:     2,
		Timestamp: time.Unix(1514170801, int64(234000000+i)).UTC(),
		BlockID: tmproto.BlockID{
			Hash: bytes.Repeat([]byte{1}, 32),
			PartSetHeader: tmproto.PartSetHeader{
				Total: 1000000,
				Hash:  bytes.Repeat([]byte{2}, 32),
			},
		},
		ValidatorAddress: bytes.Repeat([]byte{3}, 20),
		ValidatorIndex:   int32(56789 + i),
	}
}

type marshaler interface {
	MarshalTo([]byte) (int, error)
	Size() int
}

func delimited(m marshaler) []byte {
	n := m.Size()
	var head [binary.MaxVarintLen64]byte
	k := binary.PutUvarint(head[:], uint64(n))
	out := make([]byte, k+n)
	copy(out, head[:k])
	if _, err := m.MarshalTo(out[k:]); err != nil {
		panic(err)
	}
	return out
}

func canonicalBlockID(id tmproto.BlockID) *tmproto.CanonicalBlockID {
	p := id.PartSetHeader
	if len(id.Hash) == 0 && p.Total == 0 && len(p.Hash) == 0 {
		return nil
	}
	return &tmproto.CanonicalBlockID{
		Hash:          id.Hash,
		PartSetHeader: tmproto.CanonicalPartSetHeader(p),
	}
}

func signBytes(v *tmproto.Vote) []byte {
	c := tmproto.CanonicalVote{
		Type:      v.Type,
		Height:    v.Height,
		Round:     int64(v.Round),
		BlockID:   canonicalBlockID(v.BlockID),
		Timestamp: v.Timestamp,
		ChainID:   chainID,
	}
	return delimited(&c)
}

func BenchmarkVoteSignBytes(b *testing.B) {
	v := vote(0)
	for i := 0; i < b.N; i++ {
		sink = signBytes(v)
	}
}

func BenchmarkCommitVoteSignBytes(b *testing.B) {
	var votes [10]*tmproto.Vote
	for i := range votes {
		votes[i] = vote(i)
	}
	for i := 0; i < b.N; i++ {
		for _, v := range votes {
			sink = signBytes(v)
		}
	}
}

func BenchmarkMarshalDelimitedWithMarshalTo(b *testing.B) {
	v := vote(0)
	for i := 0; i < b.N; i++ {
		sink = delimited(v)
	}
}

// A message that offers Marshal only.
type plain struct {
	v *tmproto.Vote
}

func (p plain) Reset()                   {}
func (p plain) String() string           { return "" }
func (p plain) ProtoMessage()            {}
func (p plain) Marshal() ([]byte, error) { return p.v.Marshal() }

func BenchmarkMarshalDelimitedNoMarshalTo(b *testing.B) {
	var m proto.Message = plain{vote(0)}
	for i := 0; i < b.N; i++ {
		var err error
		if sink, err = protoio.MarshalDelimited(m); err != nil {
			b.Fatal(err)
		}
	}
}
